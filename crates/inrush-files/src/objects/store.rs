//! The client of a store, with its credentials: from the environment, from AWS profiles, from the machine's role.

use super::profile::Profile;
use crate::address::{Address, Scheme};
use inrush_core::error::{Error, Result};
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::client::{HttpClient, HttpConnector, ReqwestConnector};
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use object_store::path::Path;
use object_store::{BackoffConfig, ClientOptions, ObjectStore, RetryConfig};
use std::collections::BTreeMap;
use std::env;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// How long a request is retried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Patience {
    /// The first one of an object: a wrong name should be reported soon.
    Opening,
    /// Those while its rows are loaded: a store that is restarted should not end a long load.
    Reading,
}

/// The store of an address, and the object's place in it.
pub(super) fn of(address: &Address, patience: Patience) -> Result<(Arc<dyn ObjectStore>, Path)> {
    use_ring();
    if address.scheme.is_http() {
        // The URL is the store, so that a request has exactly its path and its signature.
        return Ok((http(address, patience)?, Path::ROOT));
    }
    let path = Path::parse(&address.key).map_err(|_| {
        Error::config(format!("the key of `{}` has an empty part, `.` or `..`", address.shown()))
            .with_hint("such objects are not read: copy it to another key")
    })?;
    if path.as_ref() != address.key.trim_end_matches('/') {
        return Err(Error::config(format!("the key of `{}` begins with `/`", address.shown()))
            .with_hint("such objects are not read: copy it to another key"));
    }
    Ok((kept(address, patience)?, path))
}

/// The clients of buckets that were used, so that their connections are used again; another environment is another client.
fn kept(address: &Address, patience: Patience) -> Result<Arc<dyn ObjectStore>> {
    static KEPT: Mutex<BTreeMap<Key, Arc<dyn ObjectStore>>> = Mutex::new(BTreeMap::new());
    let key = (address.scheme.name(), address.bucket.clone(), patience, environment());
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(store) = kept.get(&key) {
        return Ok(store.clone());
    }
    let store = match address.scheme {
        Scheme::S3 => s3(address, patience)?,
        Scheme::Gs => gs(address, patience)?,
        Scheme::Az | Scheme::Http | Scheme::Https => az(address, patience)?,
    };
    if kept.len() >= MOST_KEPT {
        kept.clear();
    }
    kept.insert(key, store.clone());
    Ok(store)
}

/// Scheme, bucket, patience, and the hash of the environment.
type Key = (&'static str, String, Patience, u64);

/// The hash of all variables that a client may read.
fn environment() -> u64 {
    let mut hasher = DefaultHasher::new();
    std::process::id().hash(&mut hasher);
    let named = |name: &str| ["AWS_", "GOOGLE_", "AZURE_", "STORAGE_", "HOME"].iter().any(|p| name.starts_with(p));
    let variables: BTreeMap<_, _> = env::vars_os().filter(|(name, _)| name.to_str().is_some_and(named)).collect();
    variables.hash(&mut hasher);
    hasher.finish()
}

fn s3(address: &Address, patience: Patience) -> Result<Arc<dyn ObjectStore>> {
    let mut builder = AmazonS3Builder::new().with_client_options(options()).with_retry(retries(patience));
    for (name, value) in variables("AWS_") {
        if let Ok(key) = name.parse() {
            builder = builder.with_config(key, value);
        }
    }
    let mut region = text("AWS_REGION").or_else(|| text("AWS_DEFAULT_REGION"));
    let mut endpoint = text("AWS_ENDPOINT_URL_S3").or_else(|| text("AWS_ENDPOINT_URL"));
    let has_credentials =
        ["AWS_ACCESS_KEY_ID", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"]
            .iter()
            .chain(&["AWS_CONTAINER_CREDENTIALS_FULL_URI"])
            .any(|name| text(name).is_some());
    let profile = Profile::read()?;
    if let Some(profile) = &profile {
        region = region.or_else(|| profile.region.clone());
        endpoint = endpoint.or_else(|| profile.endpoint_url.clone());
    }
    let is_unsigned = text("AWS_SKIP_SIGNATURE").is_some_and(|value| is_true(&value));
    if !has_credentials && !is_unsigned {
        match profile.and_then(|profile| profile.keys) {
            Some(keys) => {
                builder = builder.with_access_key_id(keys.id).with_secret_access_key(keys.secret);
                if let Some(token) = keys.token {
                    builder = builder.with_token(token);
                }
            }
            None => {
                let is_off = text("AWS_EC2_METADATA_DISABLED").is_some_and(|value| is_true(&value));
                if is_off || !has_metadata_server(text("AWS_METADATA_ENDPOINT")) {
                    return Err(no_credentials(address).with_hint(format!(
                        "set {}; for a public bucket set AWS_SKIP_SIGNATURE=true",
                        address.scheme.credentials()
                    )));
                }
            }
        }
    }
    if let Some(region) = region {
        builder = builder.with_region(region);
    }
    if let Some(endpoint) = endpoint {
        if is_own_machine(&endpoint) {
            builder = builder.with_allow_http(true);
        }
        builder = builder.with_endpoint(endpoint);
    }
    let store = builder.with_bucket_name(&address.bucket).build().map_err(|e| cannot_use(address, &e))?;
    Ok(Arc::new(store))
}

fn gs(address: &Address, patience: Patience) -> Result<Arc<dyn ObjectStore>> {
    let mut builder = GoogleCloudStorageBuilder::new().with_client_options(options()).with_retry(retries(patience));
    for (name, value) in variables("GOOGLE_") {
        if let Ok(key) = name.parse() {
            builder = builder.with_config(key, value);
        }
    }
    let is_unsigned = text("GOOGLE_SKIP_SIGNATURE").is_some_and(|value| is_true(&value));
    let own = env::home_dir().map(|home| home.join(".config/gcloud/application_default_credentials.json"));
    let names = ["GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_SERVICE_ACCOUNT", "GOOGLE_SERVICE_ACCOUNT_PATH"];
    let others = ["GOOGLE_SERVICE_ACCOUNT_KEY", "GOOGLE_BEARER_TOKEN"];
    let has_credentials =
        names.iter().chain(&others).any(|name| text(name).is_some()) || own.is_some_and(|path| path.exists());
    if let Some(emulator) = text("STORAGE_EMULATOR_HOST") {
        let url = if emulator.contains("://") { emulator } else { format!("http://{emulator}") };
        let allowed = options().with_allow_http(is_own_machine(&url));
        // Without a token the client would fetch one for each upload, from the machine's role, even if it signs nothing.
        builder = builder.with_client_options(allowed).with_base_url(&url).with_bearer_token("emulator");
    } else if !has_credentials && !is_unsigned && !has_metadata_server(None) {
        return Err(no_credentials(address).with_hint(format!(
            "set {}; for a public bucket set GOOGLE_SKIP_SIGNATURE=true",
            address.scheme.credentials()
        )));
    }
    let store = builder.with_bucket_name(&address.bucket).build().map_err(|e| cannot_use(address, &e))?;
    Ok(Arc::new(store))
}

fn az(address: &Address, patience: Patience) -> Result<Arc<dyn ObjectStore>> {
    let mut builder = MicrosoftAzureBuilder::new().with_client_options(options()).with_retry(retries(patience));
    for (name, value) in variables("AZURE_") {
        if let Ok(key) = name.parse() {
            builder = builder.with_config(key, value);
        }
    }
    let emulated = text("AZURE_STORAGE_USE_EMULATOR").is_some_and(|value| is_true(&value));
    if text("AZURE_STORAGE_ACCOUNT_NAME").is_none() && !emulated {
        return Err(Error::config(format!("the address `{}` names a container, and no account", address.shown()))
            .with_hint("set AZURE_STORAGE_ACCOUNT_NAME"));
    }
    if let Some(endpoint) = text("AZURE_STORAGE_ENDPOINT").or_else(|| text("AZURE_ENDPOINT"))
        && is_own_machine(&endpoint)
    {
        builder = builder.with_allow_http(true);
    }
    let names =
        ["AZURE_STORAGE_ACCOUNT_KEY", "AZURE_STORAGE_ACCESS_KEY", "AZURE_STORAGE_SAS_TOKEN", "AZURE_STORAGE_SAS_KEY"];
    let others =
        ["AZURE_STORAGE_TOKEN", "AZURE_FEDERATED_TOKEN_FILE", "AZURE_CLIENT_SECRET", "AZURE_STORAGE_CLIENT_SECRET"];
    let has_credentials = names.iter().chain(&others).any(|name| text(name).is_some())
        || ["AZURE_SKIP_SIGNATURE", "AZURE_USE_AZURE_CLI"].iter().any(|name| text(name).is_some_and(|v| is_true(&v)));
    if !has_credentials && !emulated && !has_metadata_server(text("AZURE_MSI_ENDPOINT")) {
        return Err(no_credentials(address).with_hint(format!(
            "set {}; for a public container set AZURE_SKIP_SIGNATURE=true",
            address.scheme.credentials()
        )));
    }
    let store = builder.with_container_name(&address.bucket).build().map_err(|e| cannot_use(address, &e))?;
    Ok(Arc::new(store))
}

/// Whether the environment has a signed token of Azure whose time is over. The server says no more of it than that it refuses it.
pub(super) fn has_expired_sas() -> bool {
    let token = text("AZURE_STORAGE_SAS_TOKEN").or_else(|| text("AZURE_STORAGE_SAS_KEY"));
    token.is_some_and(|token| is_expired(&token, &jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()))
}

/// Whether the field `se` of the token, which may lack seconds or the time of the day, is before now.
fn is_expired(token: &str, now: &str) -> bool {
    let mut fields = token.trim_start_matches('?').split('&');
    let end = fields.find_map(|field| field.strip_prefix("se=")).unwrap_or_default();
    let end = end.replace("%3A", ":").replace("%3a", ":");
    let end = end.trim_end_matches('Z');
    !end.is_empty() && now.get(..end.len()).is_some_and(|now| end < now)
}

fn http(address: &Address, patience: Patience) -> Result<Arc<dyn ObjectStore>> {
    let allows_plain = address.scheme == Scheme::Http;
    let store = HttpBuilder::new()
        .with_url(address.url())
        .with_client_options(options().with_allow_http(allows_plain))
        .with_http_connector(Shared)
        .with_retry(retries(patience))
        .build();
    Ok(Arc::new(store.map_err(|_| Error::config(format!("`{}` is not a URL", address.shown())))?))
}

/// One client for all URLs: each reads the trusted certificates and keeps its own connections.
#[derive(Debug)]
struct Shared;

impl HttpConnector for Shared {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        static CLIENTS: Mutex<BTreeMap<(u32, bool), HttpClient>> = Mutex::new(BTreeMap::new());
        let allows_plain = options.get_config_value(&object_store::ClientConfigKey::AllowHttp);
        let key = (std::process::id(), allows_plain.is_some_and(|value| value == "true"));
        let mut clients = CLIENTS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(&key) {
            return Ok(client.clone());
        }
        let client = ReqwestConnector::default().connect(options)?;
        clients.insert(key, client.clone());
        Ok(client)
    }
}

/// Both TLS clients of a program, this and that of connections to servers, use the same cryptography.
fn use_ring() {
    static INSTALLED: OnceLock<()> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        // Another one that the program has chosen stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

fn options() -> ClientOptions {
    ClientOptions::new().with_timeout_disabled().with_connect_timeout(CONNECT_TIMEOUT).with_read_timeout(READ_TIMEOUT)
}

fn retries(patience: Patience) -> RetryConfig {
    let (max_retries, most, retry_timeout) = match patience {
        Patience::Opening => (4, Duration::from_secs(1), Duration::from_secs(20)),
        Patience::Reading => (10, Duration::from_secs(5), Duration::from_secs(120)),
    };
    let backoff = BackoffConfig { init_backoff: Duration::from_millis(100), max_backoff: most, base: 2.0 };
    RetryConfig { backoff, max_retries, retry_timeout }
}

/// The variables with this prefix, by the names of their settings.
fn variables(prefix: &str) -> impl Iterator<Item = (String, String)> {
    let all = env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let own = all.filter(move |(name, value)| name.starts_with(prefix) && !value.is_empty());
    own.map(|(name, value)| (name.to_ascii_lowercase(), value))
}

fn text(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn is_true(value: &str) -> bool {
    matches!(&value.to_ascii_lowercase()[..], "1" | "true" | "on" | "yes" | "y")
}

/// Whether the machine has the server that hands out the credentials of its role. Without it a request waits for minutes.
fn has_metadata_server(given: Option<String>) -> bool {
    let address = SocketAddr::from(([169, 254, 169, 254], 80));
    given.is_some() || TcpStream::connect_timeout(&address, METADATA_TIMEOUT).is_ok()
}

/// Whether a URL names this machine, to which requests may go without TLS.
fn is_own_machine(url: &str) -> bool {
    let Some((_, rest)) = url.split_once("://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.strip_prefix('[').and_then(|v6| v6.split(']').next());
    let host = host.unwrap_or_else(|| authority.split(':').next().unwrap_or_default());
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

fn no_credentials(address: &Address) -> Error {
    Error::config(format!("there are no credentials for `{}`", address.shown()))
}

/// A setting that the client refuses. Its text may hold the setting, and so a secret.
fn cannot_use(address: &Address, error: &object_store::Error) -> Error {
    let text = error.to_string();
    let why = ["Missing", "Unable to", "not allowed"].iter().any(|known| text.contains(known));
    let hint = match why {
        true => "a setting is missing or wrong",
        false => "a setting is wrong",
    };
    Error::config(format!("cannot use the settings for `{}`", address.shown()))
        .with_hint(format!("{hint} among those from the environment: {}", address.scheme.credentials()))
}

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Between two parts of an answer.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// The metadata server is on the machine's own network.
const METADATA_TIMEOUT: Duration = Duration::from_secs(1);

/// Clients of more buckets are not kept.
const MOST_KEPT: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_signed_token() {
        let is_over = |token: &str| is_expired(token, "2026-11-28T12:00:00Z");
        for token in ["se=2026-11-28T11%3A59%3A59Z", "?sv=x&se=2026-11-27&sig=y", "se=2026-11-28T11:59Z"] {
            assert!(is_over(token), "{token}");
        }
        for token in
            ["se=2026-11-28T12%3A00%3A01Z", "se=2026-11-28", "", "sig=se", "se=", "se=2026-11-28T12:00:00.0000000000Z"]
        {
            assert!(!is_over(token), "{token}");
        }
    }

    #[test]
    fn plain_requests_go_to_this_machine_alone() {
        for url in ["http://127.0.0.1:9000", "http://localhost/x", "http://[::1]:80", "http://127.9.9.9"] {
            assert!(is_own_machine(url), "{url}");
        }
        for url in
            ["http://10.0.0.1", "http://localhost.example.com", "127.0.0.1:80", "http://[::2]", "http://x@127.0.0.1"]
        {
            assert!(!is_own_machine(url), "{url}");
        }
    }

    #[test]
    fn keys_that_the_client_would_change_are_refused() {
        for key in ["a//b", "/a", "a/../b", "."] {
            let address = Address::parse(&format!("s3://b/{key}")).unwrap().unwrap();
            assert!(of(&address, Patience::Opening).is_err(), "{key}");
        }
    }
}
