//! Addresses of objects: `s3://bucket/key`, `gs://bucket/key`, `az://container/key`, `https://host/path`.
//!
//! Invariant: what an [`Address`] shows has no login, no signature and no token in it.

use inrush_core::error::{Error, Result};

/// The address of an object, or of a folder of objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) scheme: Scheme,
    /// The bucket or container; the host of an HTTP server.
    pub(crate) bucket: String,
    /// The object's key, unchanged; of an HTTP server the path as it is in the address, without `/` at its beginning.
    pub(crate) key: String,
    /// What follows `?` in the address of an HTTP server. It may be a signature.
    query: Option<String>,
}

/// What kind of store it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scheme {
    S3,
    Gs,
    Az,
    Http,
    Https,
}

impl Scheme {
    const ALL: [(&'static str, Self); 5] =
        [("s3", Self::S3), ("gs", Self::Gs), ("az", Self::Az), ("http", Self::Http), ("https", Self::Https)];

    pub(crate) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, scheme)| *scheme == self).map_or("", |(name, _)| name)
    }

    /// Whether it is read by plain HTTP requests: such a server has no list of its files.
    pub(crate) fn is_http(self) -> bool {
        matches!(self, Self::Http | Self::Https)
    }

    /// Where its credentials come from, for messages.
    pub(crate) fn credentials(self) -> &'static str {
        match self {
            Self::S3 => "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (AWS_SESSION_TOKEN with them), or AWS_PROFILE",
            Self::Gs => "GOOGLE_APPLICATION_CREDENTIALS (a file), or `gcloud auth application-default login`",
            Self::Az => "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY or AZURE_STORAGE_SAS_TOKEN",
            Self::Http | Self::Https => "the address alone: a server that needs a login is not read",
        }
    }
}

/// The scheme and the rest of a text, if it is an address of a known kind.
fn split(text: &str) -> Option<(Scheme, &str)> {
    let (scheme, rest) = text.split_once("://")?;
    let known = Scheme::ALL.iter().find(|(known, _)| scheme.eq_ignore_ascii_case(known));
    known.map(|(_, scheme)| (*scheme, rest))
}

/// Whether a name is the address of an object.
pub fn is_address(text: &str) -> bool {
    split(text).is_some()
}

impl Address {
    /// Parses a text; `None` if it is no address of a known kind.
    ///
    /// # Errors
    /// `Config` for an address with a login in it, and for one without a bucket.
    pub(crate) fn parse(text: &str) -> Option<Result<Self>> {
        split(text).map(|(scheme, rest)| Self::of(scheme, rest))
    }

    fn of(scheme: Scheme, rest: &str) -> Result<Self> {
        let (bucket, key) = match rest.find(if scheme.is_http() { &['/', '?'][..] } else { &['/'] }) {
            Some(at) => (&rest[..at], rest[at..].strip_prefix('/').unwrap_or(&rest[at..])),
            None => (rest, ""),
        };
        if let Some((_, host)) = bucket.rsplit_once('@') {
            let message = format!("the address of `{}://{host}/..` has a login in it", scheme.name());
            return Err(Error::config(message).with_hint(format!("credentials come from {}", scheme.credentials())));
        }
        if bucket.is_empty() {
            let what = if scheme.is_http() { "host" } else { "bucket" };
            return Err(Error::config(format!("the address `{}://` names no {what}", scheme.name())));
        }
        if bucket.contains(|c: char| c.is_ascii_control() || c.is_whitespace()) || key.contains(char::is_control) {
            return Err(Error::config(format!(
                "the address `{}://..` has a control character or a blank",
                scheme.name()
            )));
        }
        let (key, query) = match key.split_once('?').filter(|_| scheme.is_http()) {
            Some((key, query)) => (key, Some(query.to_owned())),
            None => (key, None),
        };
        Ok(Self { scheme, bucket: bucket.to_owned(), key: key.to_owned(), query })
    }

    /// The same place with another key.
    pub(crate) fn with_key(&self, key: &str) -> Self {
        Self { key: key.to_owned(), ..self.clone() }
    }

    /// The address to write, without what may be a secret.
    pub(crate) fn shown(&self) -> String {
        format!("{}://{}/{}", self.scheme.name(), self.bucket, self.key)
    }

    /// The whole URL for a request to an HTTP server. It may have a signature in it: no message may hold it.
    pub(crate) fn url(&self) -> String {
        let query = self.query.as_ref().map(|query| format!("?{query}")).unwrap_or_default();
        format!("{}{query}", self.shown())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str, key: &str) {
        let address = Address::parse(text).unwrap().unwrap();
        assert_eq!((&address.shown()[..], &address.key[..]), (want, key));
    }

    #[test]
    fn of_a_bucket() {
        check("s3://b/a/x.csv", "s3://b/a/x.csv", "a/x.csv");
        check("S3://b/a b#c?d%20.csv", "s3://b/a b#c?d%20.csv", "a b#c?d%20.csv");
        check("gs://b", "gs://b/", "");
        check("az://c/", "az://c/", "");
    }

    #[test]
    fn a_signature_is_not_shown() {
        check("https://h:8080/a/x.csv?X-Amz-Signature=abc", "https://h:8080/a/x.csv", "a/x.csv");
        check("http://h?token=a/b", "http://h/", "");
        let address = Address::parse("https://h/x.csv?sig=1").unwrap().unwrap();
        assert_eq!(address.url(), "https://h/x.csv?sig=1");
    }

    #[test]
    fn other_names_are_files() {
        for name in ["a.csv", "-", "a:b", "ftp://h/x", "file:///x", "c://x"] {
            assert!(Address::parse(name).is_none(), "{name}");
        }
    }

    #[test]
    fn a_login_is_refused_and_not_shown() {
        for text in ["https://me:secret@h/x", "s3://key:secret@bucket/x", "http://se@cret@h"] {
            let error = Address::parse(text).unwrap().unwrap_err();
            assert!(error.message().contains("login") && !error.message().contains("cret"), "{error}");
            assert!(error.hint().is_some());
        }
    }

    #[test]
    fn a_bucket_is_needed() {
        assert!(Address::parse("s3://").unwrap().unwrap_err().message().contains("no bucket"));
        assert!(Address::parse("https:///x").unwrap().unwrap_err().message().contains("no host"));
        assert!(Address::parse("s3://a b/x").unwrap().is_err());
    }
}
