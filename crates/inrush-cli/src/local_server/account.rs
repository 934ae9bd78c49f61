//! The account that the server runs as when root starts it: `mysql` where it exists, else `nobody`. No server runs as root.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use inrush_core::{Error, Result};

/// An account of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Account {
    pub(super) name: String,
    pub(super) uid: u32,
    pub(super) gid: u32,
}

impl Account {
    /// `None` for an ordinary user, whose server runs as that user.
    pub(super) fn for_server() -> Result<Option<Self>> {
        if !rustix::process::geteuid().is_root() {
            return Ok(None);
        }
        let accounts =
            std::fs::read_to_string("/etc/passwd").map_err(|e| Error::io("cannot read this machine's accounts", e))?;
        let found = ["mysql", "nobody"].iter().find_map(|name| find(&accounts, name));
        found.map(Some).ok_or_else(|| {
            Error::config("a server must not run as root, and there is neither an account `mysql` nor `nobody`")
                .with_hint("run inrush as an ordinary user")
        })
    }

    /// An error unless this account may walk down to `folder`'s parents.
    pub(super) fn check_reach(&self, folder: &Path) -> Result<()> {
        for above in folder.ancestors().skip(1) {
            // A missing folder will be created by this program, accessible to all.
            let Ok(meta) = above.metadata() else { continue };
            let may_enter = match () {
                () if meta.uid() == self.uid => meta.mode() & 0o100,
                () if meta.gid() == self.gid => meta.mode() & 0o010,
                () => meta.mode() & 0o001,
            };
            if may_enter == 0 {
                return Err(Error::config(format!(
                    "started by root, the server runs as `{}`, which cannot enter `{}`",
                    self.name,
                    above.display()
                ))
                .with_hint("name another folder with `--dir`, or run inrush as an ordinary user"));
            }
        }
        Ok(())
    }
}

/// `name:password:uid:gid:..` in the file of accounts.
fn find(accounts: &str, name: &str) -> Option<Account> {
    accounts.lines().find_map(|line| {
        let mut fields = line.split(':');
        (fields.next() == Some(name)).then_some(())?;
        let uid = fields.nth(1)?.parse().ok().filter(|uid| *uid != 0)?;
        let gid = fields.next()?.parse().ok()?;
        Some(Account { name: name.to_owned(), uid, gid })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACCOUNTS: &str = "root:x:0:0:root:/:/bin/sh\nmysqlx:x:7:7::/:/bin/false\nnobody:x:65534:65533:nobody:/:/bin/false\nbroken:x\nmysql:x:0:0::/:/bin/sh\n";

    #[test]
    fn an_account_by_its_whole_name() {
        let want = Account { name: "nobody".into(), uid: 65534, gid: 65533 };
        assert_eq!(find(ACCOUNTS, "nobody"), Some(want));
    }

    #[test]
    fn another_name_for_root_is_refused() {
        assert_eq!(find(ACCOUNTS, "mysql"), None);
    }

    #[test]
    fn a_broken_line_is_no_account() {
        assert_eq!(find(ACCOUNTS, "broken"), None);
        assert_eq!(find(ACCOUNTS, ""), None);
    }
}
