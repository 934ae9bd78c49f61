//! What went wrong with an object, as an error for its reader: which object, why, and what to do.
//!
//! Invariant: no error holds a URL of a request, as it may be signed, nor a header. Texts of servers are cut and escaped.

use super::store;
use crate::address::{Address, Scheme};
use inrush_core::error::{Error, Kind};
use object_store::Error as StoreError;
use std::error::Error as StdError;

/// The error for a failed request.
pub(super) fn of(address: &Address, doing: &str, error: &StoreError) -> Error {
    let shown = address.shown();
    let answer = Answer::of(error);
    let code = answer.code.as_deref().unwrap_or_default();
    let status = answer.status.as_deref().unwrap_or_default();
    let scheme = address.scheme;
    let config = |message: String, hint: String| Error::config(message).with_hint(hint);
    // Of a list and of an upload the client reports the status alone.
    let is_denied = matches!(error, StoreError::PermissionDenied { .. } | StoreError::Unauthenticated { .. })
        || status.starts_with("401")
        || status.starts_with("403");
    if is_denied && scheme == Scheme::Az && store::has_expired_sas() {
        return expired(&shown, doing, scheme);
    }
    match code {
        code if NO_BUCKET.contains(&code) => {
            return config(
                format!("cannot {doing} `{shown}`: there is no bucket `{}`", address.bucket),
                format!("check its name{}", endpoint_hint(scheme)),
            );
        }
        "ExpiredToken" | "ExpiredTokenException" | "TokenRefreshRequired" => return expired(&shown, doing, scheme),
        "InvalidAccessKeyId"
        | "SignatureDoesNotMatch"
        | "InvalidToken"
        | "AuthenticationFailed"
        | "InvalidAuthenticationInfo" => {
            return config(
                format!("cannot {doing} `{shown}`: the server refuses the credentials ({code})"),
                format!("they come from {}", scheme.credentials()),
            );
        }
        "RequestTimeTooSkewed" => {
            return config(
                format!("cannot {doing} `{shown}`: this machine's clock differs from the server's ({code})"),
                "set the clock".into(),
            );
        }
        "PermanentRedirect" | "AuthorizationHeaderMalformed" | "IllegalLocationConstraintException" => {
            return region(&shown, doing);
        }
        _ => {}
    }
    match error {
        StoreError::NotFound { .. } => config(format!("cannot {doing} `{shown}`: there is no such object"), {
            match scheme.is_http() {
                true => "check the address".into(),
                false => "check the key; a folder is named with `/` at its end".into(),
            }
        }),
        StoreError::Precondition { .. } | StoreError::NotModified { .. } => changed(&shown, "its ETag is another one"),
        _ if is_denied && answer.says("expired") => expired(&shown, doing, scheme),
        _ if is_denied => {
            let said = if code.is_empty() { status.to_owned() } else { code.to_owned() };
            let hint = match scheme {
                Scheme::Http | Scheme::Https => {
                    "is the address signed, and its signature whole? quote it for the shell".into()
                }
                Scheme::S3 => format!(
                    "credentials come from {}; a public bucket is read with AWS_SKIP_SIGNATURE=true; a key that is missing is refused too \
                     where listing is not allowed",
                    scheme.credentials()
                ),
                _ => format!("credentials come from {}", scheme.credentials()),
            };
            config(format!("cannot {doing} `{shown}`: access is denied ({said})"), hint)
        }
        _ if answer.says("without LOCATION") => region(&shown, doing),
        _ => {
            let why = answer.reason();
            let error = Error::new(Kind::Io, format!("cannot {doing} `{shown}`: {why}")).not_fatal();
            match hint(&why, scheme) {
                Some(hint) => error.with_hint(hint),
                None => error,
            }
        }
    }
}

/// Whether the bucket has no such object.
pub(super) fn is_no_object(error: &StoreError) -> bool {
    let is_no_bucket = || Answer::of(error).code.is_some_and(|code| NO_BUCKET.contains(&&*code));
    matches!(error, StoreError::NotFound { .. }) && !is_no_bucket()
}

/// Whether the server does not send parts of the object, or it is empty and has none.
pub(super) fn is_no_range(error: &StoreError) -> bool {
    let answer = Answer::of(error);
    answer.status.as_deref().is_some_and(|status| status.starts_with("416"))
        || ["non-partial response", "Range request not supported"].iter().any(|text| answer.says(text))
}

/// The error for an object whose content is another one than when it was opened.
pub(super) fn changed(shown: &str, how: &str) -> Error {
    Error::data(format!("`{shown}` was written to while it was loaded: {how}")).with_hint(
        "what is stored may be of both contents: compare it with the object; the same command does that for every stored row, and goes on \
         only if the object still holds it",
    )
}

fn expired(shown: &str, doing: &str, scheme: Scheme) -> Error {
    let (what, hint) = match scheme {
        Scheme::S3 => (
            "the credentials have expired",
            "renew AWS_SESSION_TOKEN together with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or those of the profile in AWS_PROFILE; the \
             same command goes on",
        ),
        Scheme::Gs => (
            "the credentials have expired",
            "renew those in GOOGLE_APPLICATION_CREDENTIALS, or `gcloud auth application-default login`; the same command goes on",
        ),
        Scheme::Az => ("the credentials have expired", "renew AZURE_STORAGE_SAS_TOKEN; the same command goes on"),
        Scheme::Http | Scheme::Https => ("the signature of the address has expired", "have the address signed again"),
    };
    Error::config(format!("cannot {doing} `{shown}`: {what}")).with_hint(hint)
}

fn region(shown: &str, doing: &str) -> Error {
    Error::config(format!("cannot {doing} `{shown}`: the bucket is in another region"))
        .with_hint("set AWS_REGION to the bucket's region")
}

fn endpoint_hint(scheme: Scheme) -> &'static str {
    match scheme {
        Scheme::S3 => "; a store that is not Amazon's is named by AWS_ENDPOINT_URL",
        _ => "",
    }
}

/// What may help against a failure outside of the store.
fn hint(why: &str, scheme: Scheme) -> Option<String> {
    let has = |text: &str| why.contains(text);
    if has("certificate") {
        return Some("the server's certificate is not trusted: SSL_CERT_FILE names a file with the authority's".into());
    }
    if has("lookup") || has("dns") || has("Name or service") {
        return Some(format!("its name is not found: check the address{}", endpoint_hint(scheme)));
    }
    if has("refused") {
        return Some(format!("no server listens there: check the address{}", endpoint_hint(scheme)));
    }
    if has("not allowed") || has("scheme") {
        return Some("plain HTTP is allowed to this machine alone; AWS_ALLOW_HTTP=true allows it".into());
    }
    None
}

/// What a server answered, or why there is no answer.
struct Answer {
    /// The status line's code and words, e.g. `403 Forbidden`.
    status: Option<String>,
    /// The code in the body, e.g. `NoSuchBucket`.
    code: Option<String>,
    /// The message in the body.
    message: Option<String>,
    /// The texts of the error and its causes, the deepest last.
    causes: Vec<String>,
}

impl Answer {
    fn of(error: &StoreError) -> Self {
        let mut causes = Vec::new();
        let mut next: Option<&dyn StdError> = error.source();
        while let Some(cause) = next.filter(|_| causes.len() < MOST_CAUSES) {
            causes.push(cause.to_string());
            next = cause.source();
        }
        let answered = causes.iter().rev().find_map(|cause| {
            let at = ["non-2xx status code: ", "error response: "]
                .iter()
                .find_map(|text| cause.find(text).map(|at| at + text.len()))?;
            Some(cause[at..].to_owned())
        });
        let status = answered.as_ref().and_then(|answer| {
            let line = answer.split(['\n', ':', '<']).next().unwrap_or_default().trim();
            line.starts_with(|c: char| c.is_ascii_digit()).then(|| printable(line))
        });
        let element = |name: &str| {
            let body = answered.as_deref()?;
            let (_, rest) = body.split_once(&format!("<{name}>"))?;
            Some(printable(rest.split_once('<')?.0.trim()))
        };
        Self { status, code: element("Code"), message: element("Message"), causes }
    }

    /// Whether the server's answer has this word in it.
    fn says(&self, word: &str) -> bool {
        self.causes.last().is_some_and(|cause| cause.contains(word)) || self.causes.iter().any(|c| c.contains(word))
    }

    /// Why it failed, in one line without a URL.
    fn reason(&self) -> String {
        let answer = [&self.status, &self.code, &self.message];
        let answer: Vec<&str> = answer.into_iter().flatten().map(String::as_str).collect();
        if !answer.is_empty() {
            return format!("the server answers {}", answer.join(": "));
        }
        // The deepest cause says what happened; those above it may repeat the URL.
        let deepest = self.causes.last().map(|cause| printable(cause)).unwrap_or_default();
        if deepest.is_empty() || deepest.contains("://") { "the request failed".into() } else { deepest }
    }
}

/// A text of somebody else, short and without control characters.
fn printable(text: &str) -> String {
    let shown: String = text.chars().take(MOST_SHOWN).flat_map(char::escape_debug).collect();
    shown.replace("\\\"", "\"").replace("\\'", "'")
}

/// The codes of S3 and Azure for a bucket that is not there.
const NO_BUCKET: [&str; 2] = ["NoSuchBucket", "ContainerNotFound"];

/// Characters of a server's text in a message.
const MOST_SHOWN: usize = 200;

/// Errors that have more causes than this have a circle in them.
const MOST_CAUSES: usize = 16;
