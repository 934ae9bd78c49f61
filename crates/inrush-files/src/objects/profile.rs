//! A profile of AWS: the files that `aws configure` writes.

use inrush_core::error::{Error, Result};
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io;
use std::path::PathBuf;

/// What a profile says of itself.
#[derive(Default)]
pub(super) struct Profile {
    pub(super) keys: Option<Keys>,
    pub(super) region: Option<String>,
    pub(super) endpoint_url: Option<String>,
}

/// Long-lived or temporary credentials. Without `Debug`, so that no message shows them.
pub(super) struct Keys {
    pub(super) id: String,
    pub(super) secret: String,
    pub(super) token: Option<String>,
}

impl Profile {
    /// The profile that AWS_PROFILE names, else `default`; `None` if there is no default one.
    ///
    /// # Errors
    /// `Config` if AWS_PROFILE names one that is not there, and for one whose credentials another program makes.
    pub(super) fn read() -> Result<Option<Self>> {
        let given = env::var("AWS_PROFILE").ok().filter(|name| !name.is_empty());
        let file = |variable: &str, own: &str| {
            let named = env::var_os(variable).filter(|path| !path.is_empty()).map(PathBuf::from);
            named.or_else(|| env::home_dir().map(|home| home.join(".aws").join(own)))
        };
        let read = |path: Option<PathBuf>| match path.map(|path| (fs::read_to_string(&path), path)) {
            None => Ok(String::new()),
            Some((Ok(text), _)) => Ok(text),
            Some((Err(e), _)) if e.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            Some((Err(e), path)) => Err(Error::config(format!("cannot read `{}`: {e}", path.display()))),
        };
        let credentials = read(file("AWS_SHARED_CREDENTIALS_FILE", "credentials"))?;
        let config = read(file("AWS_CONFIG_FILE", "config"))?;
        Self::of(given.as_deref(), &credentials, &config)
    }

    /// The same from the texts of both files.
    fn of(given: Option<&str>, credentials: &str, config: &str) -> Result<Option<Self>> {
        let name = given.unwrap_or("default");
        let secrets = section(credentials, |title| title == name);
        let named = |title: &str| title.strip_prefix("profile ").map(str::trim) == Some(name);
        let settings = section(config, |title| named(title) || (name == "default" && title == "default"));
        if secrets.is_none() && settings.is_none() {
            return match given {
                Some(name) => Err(Error::config(format!("AWS_PROFILE names the profile `{name}`, and there is none"))
                    .with_hint("`aws configure list-profiles` lists those that are there")),
                None => Ok(None),
            };
        }
        // The file of credentials has precedence.
        let mut all = settings.unwrap_or_default();
        all.extend(secrets.unwrap_or_default());
        let keys = match (all.remove("aws_access_key_id"), all.remove("aws_secret_access_key")) {
            (Some(id), Some(secret)) => Some(Keys { id, secret, token: all.remove("aws_session_token") }),
            _ => None,
        };
        let made = ["sso_session", "sso_start_url", "role_arn", "credential_process", "login_session"];
        if let Some(by) = made.iter().find(|by| keys.is_none() && all.contains_key(**by)).filter(|_| given.is_some()) {
            return Err(Error::config(format!("the credentials of the profile `{name}` are made by its `{by}`")).with_hint(
                format!("`eval \"$(aws configure export-credentials --profile {name} --format env)\"` puts them into the environment"),
            ));
        }
        Ok(Some(Self { keys, region: all.remove("region"), endpoint_url: all.remove("endpoint_url") }))
    }
}

/// The settings of the first section with a title that is wanted.
fn section(text: &str, is_wanted: impl Fn(&str) -> bool) -> Option<BTreeMap<String, String>> {
    let mut found: Option<BTreeMap<String, String>> = None;
    let mut is_in = false;
    for line in text.lines() {
        let line = line.trim_end();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(title) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            is_in = is_wanted(title.trim());
            if is_in {
                found.get_or_insert_default();
            }
        } else if let (true, Some((name, value))) = (is_in && !line.starts_with([' ', '\t']), line.split_once('=')) {
            let value = value.split(" #").next().unwrap_or_default().trim();
            found.get_or_insert_default().insert(name.trim().to_ascii_lowercase(), value.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const CREDENTIALS: &str = "[default]\naws_access_key_id=A\naws_secret_access_key = S\n# [x]\n[short]\n\
                               aws_access_key_id = B\naws_secret_access_key = T/+=\naws_session_token = tok # mine\n";
    const CONFIG: &str = "[default]\nregion = eu-west-1\ns3 =\n  endpoint_url = http://nested\n[profile short]\nregion=us-west-2\n\
                          endpoint_url = http://localhost:9000\n[profile sso]\nsso_session = x\nregion = eu-north-1\n";

    #[track_caller]
    fn check(given: Option<&str>, keys: Option<(&str, &str, Option<&str>)>, region: &str, endpoint: Option<&str>) {
        let profile = Profile::of(given, CREDENTIALS, CONFIG).unwrap().unwrap();
        let own = profile.keys.as_ref().map(|keys| (&keys.id[..], &keys.secret[..], keys.token.as_deref()));
        assert_eq!((own, profile.region.as_deref(), profile.endpoint_url.as_deref()), (keys, Some(region), endpoint));
    }

    #[test]
    fn the_default_one() {
        check(None, Some(("A", "S", None)), "eu-west-1", None);
    }

    #[test]
    fn one_by_name() {
        check(Some("short"), Some(("B", "T/+=", Some("tok"))), "us-west-2", Some("http://localhost:9000"));
    }

    #[test]
    fn one_that_is_missing() {
        assert!(Profile::of(None, "", "").unwrap().is_none());
        let error = Profile::of(Some("none"), CREDENTIALS, CONFIG).err().unwrap();
        assert!(error.message().contains("`none`"), "{error}");
    }

    #[test]
    fn one_of_another_program() {
        let error = Profile::of(Some("sso"), CREDENTIALS, CONFIG).err().unwrap();
        assert!(error.message().contains("sso_session") && error.hint().is_some_and(|h| h.contains("--profile sso")));
    }
}
