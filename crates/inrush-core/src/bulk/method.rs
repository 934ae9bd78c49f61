//! Write methods as values: their names, which of them `auto` chooses, and when a refusal means "try the next one".

use crate::error::{Error, Result};
use std::fmt;

/// A way to write rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// LOAD DATA LOCAL INFILE, streamed from memory.
    LoadData,
    /// INSERT .. VALUES (..),(..) as escaped text.
    MultiRow,
}

impl Method {
    /// All methods, fastest first: the order in which `auto` tries them.
    pub const ALL: [Method; 2] = [Method::LoadData, Method::MultiRow];

    /// The name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Method::LoadData => "load-data",
            Method::MultiRow => "multi-row",
        }
    }

    /// The method of that name; `auto` is `None`.
    pub fn parse(name: &str) -> Result<Option<Method>> {
        if name == "auto" {
            return Ok(None);
        }
        Self::ALL.into_iter().find(|method| method.name() == name).map(Some).ok_or_else(|| {
            let known: Vec<_> = Self::ALL.iter().map(|method| format!("`{}`", method.name())).collect();
            Error::config(format!("`{name}` is not a write method"))
                .with_hint(format!("it takes `auto`, {}", known.join(", ")))
        })
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The method a load uses, and why: printed in the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The method.
    pub method: Method,
    /// Why this one, as half a sentence.
    pub reason: String,
    /// Whether another method may take its place when the server refuses it.
    pub may_fall_back: bool,
}

/// Chooses before the first row is sent, from what was asked for and what the server says of itself.
///
/// `local_infile` is the server's variable; `None` if it would not tell.
///
/// # Errors
/// `Config` if a method was asked for that the server does not allow.
pub fn choose(asked: Option<Method>, local_infile: Option<bool>) -> Result<Choice> {
    Ok(match (asked, local_infile) {
        (Some(Method::LoadData), Some(false)) => {
            return Err(Error::config("the server has `local_infile` off, so LOAD DATA LOCAL is not allowed")
                .with_hint("`--method auto` takes the next best way; `SET GLOBAL local_infile = 1` on the server allows this one"));
        }
        (Some(method), _) => Choice { method, reason: "asked for".into(), may_fall_back: false },
        (None, Some(false)) => Choice {
            method: Method::MultiRow,
            reason: "the server has `local_infile` off, so LOAD DATA LOCAL is not allowed".into(),
            may_fall_back: false,
        },
        (None, Some(true)) => Choice {
            method: Method::LoadData,
            reason: "the server allows LOAD DATA LOCAL, its fastest way in".into(),
            may_fall_back: true,
        },
        (None, None) => Choice {
            method: Method::LoadData,
            reason: "the server does not tell whether it allows LOAD DATA LOCAL; it accepted it".into(),
            may_fall_back: true,
        },
    })
}

/// What `auto` goes on with after the server refused LOAD DATA LOCAL with this error.
pub fn fall_back(error: &Error) -> Choice {
    let reason = format!("LOAD DATA LOCAL was refused: {} (error {})", error.message(), error.code());
    Choice { method: Method::MultiRow, reason, may_fall_back: false }
}

/// Whether an answer to LOAD DATA LOCAL refuses the method itself, not this data.
///
/// 4166 (MariaDB), 3948 ER_CLIENT_LOCAL_FILES_DISABLED (MySQL), 1148 ER_NOT_ALLOWED_COMMAND (older ones), 2068 (client side), 1235 not supported
/// (Vitess, sharded), 1997 (ShardingSphere), 1290 --secure-file-priv style option, 1045/1227 a missing right for LOAD DATA.
pub fn refuses_local_infile(code: u16) -> bool {
    matches!(code, 1148 | 3948 | 4166 | 2068 | 1235 | 1997 | 1227 | 1045)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;

    #[track_caller]
    fn check(asked: Option<Method>, local_infile: Option<bool>, want: Method, may_fall_back: bool) {
        let choice = choose(asked, local_infile).unwrap();
        assert_eq!((choice.method, choice.may_fall_back), (want, may_fall_back));
    }

    #[test]
    fn local_allowed() {
        check(None, Some(true), Method::LoadData, true);
    }
    #[test]
    fn local_off() {
        check(None, Some(false), Method::MultiRow, false);
    }
    #[test]
    fn server_says_nothing() {
        check(None, None, Method::LoadData, true);
    }
    #[test]
    fn asked_for_is_final() {
        check(Some(Method::LoadData), None, Method::LoadData, false);
        check(Some(Method::MultiRow), Some(true), Method::MultiRow, false);
    }
    #[test]
    fn what_the_server_forbids_is_refused_at_once() {
        assert_eq!(choose(Some(Method::LoadData), Some(false)).unwrap_err().kind(), Kind::Config);
    }
    #[test]
    fn names_round_trip() {
        for method in Method::ALL {
            assert_eq!(Method::parse(method.name()).unwrap(), Some(method));
        }
        assert_eq!(Method::parse("auto").unwrap(), None);
        assert!(Method::parse("fast").is_err());
    }
}
