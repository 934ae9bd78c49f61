//! The object stores: what `scripts/stores` started, and a bucket of its own for each test.
//!
//! A store that does not run fails the test that needs it. Objects are put there and read by plain HTTP, never by our own client.

use crate::http::{Answer, escaped, request, try_request};
use serde::Deserialize;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// How to reach the stores.
#[derive(Clone, Debug, Deserialize)]
pub struct Stores {
    /// The URL of the S3 server that checks no signature.
    pub s3: String,
    /// The S3 server that checks each.
    pub signed_s3: SignedS3,
    /// The Azure server.
    pub azure: Azure,
    /// The URL of Google's, if it was started.
    pub google: Option<String>,
}

/// An S3 server that checks signatures, with one user and one bucket.
#[derive(Clone, Debug, Deserialize)]
pub struct SignedS3 {
    /// Its URL.
    pub url: String,
    /// The bucket that is there.
    pub bucket: String,
    /// The user's key.
    pub key_id: String,
    /// The secret of the key.
    pub secret: String,
}

/// An account of Azure.
#[derive(Clone, Debug, Deserialize)]
pub struct Azure {
    /// The URL of the account.
    pub url: String,
    /// Its name.
    pub account: String,
    /// Its key.
    pub key: String,
    /// A signed token for everything in it.
    pub sas: String,
    /// The same, but expired.
    pub expired_sas: String,
}

/// All stores but Google's. Starts what does not run.
///
/// # Panics
/// With the script's own words if that fails.
pub fn all() -> &'static Stores {
    static STORES: OnceLock<Stores> = OnceLock::new();
    STORES.get_or_init(|| list(&["env"]))
}

/// Google's too, which takes minutes where it was not built before.
///
/// # Panics
/// As [`all`].
pub fn with_google() -> &'static Stores {
    static STORES: OnceLock<Stores> = OnceLock::new();
    STORES.get_or_init(|| list(&["env", "--google"]))
}

fn list(arguments: &[&str]) -> Stores {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/stores");
    let output = Command::new(&script)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| panic!("cannot run {}: {error}", script.display()));
    assert!(
        output.status.success(),
        "the stores do not start; try `scripts/stores up`. It said:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("`scripts/stores env` prints an object")
}

/// The protocol of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// `s3://`.
    S3,
    /// `az://`.
    Azure,
    /// `gs://`, with the interface of Google's that is S3's: lists and uploads in parts.
    GoogleAsS3,
    /// `gs://`, by Google's own emulator: no uploads.
    Google,
}

impl Protocol {
    /// Those that files can be written to.
    pub const WRITTEN: [Self; 3] = [Self::S3, Self::Azure, Self::GoogleAsS3];
}

/// A bucket or container, which holds nothing at first and is deleted when the value is dropped.
#[derive(Debug)]
pub struct Bucket {
    protocol: Protocol,
    name: String,
    /// The URL of the server, without `/` at its end.
    server: String,
}

impl Bucket {
    /// A new one.
    ///
    /// # Panics
    /// If the store refuses it.
    pub fn new(protocol: Protocol) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        // Without a dash: our client escapes it for Google, and moto does not decode the names of buckets.
        let name = format!("test{}x{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let server = match protocol {
            Protocol::S3 | Protocol::GoogleAsS3 => all().s3.clone(),
            Protocol::Azure => all().azure.url.clone(),
            Protocol::Google => with_google().google.clone().expect("it was started"),
        };
        let bucket = Self { protocol, name, server };
        let answer = match protocol {
            Protocol::S3 | Protocol::GoogleAsS3 => bucket.send("PUT", "", "", &[]),
            Protocol::Azure => bucket.send("PUT", "", "restype=container", &[]),
            Protocol::Google => {
                let json = format!("{{\"name\":\"{}\"}}", bucket.name);
                let url = format!("{}/storage/v1/b?project=test", bucket.server);
                request("POST", &url, &[("Content-Type", "application/json")], json.as_bytes())
            }
        };
        assert!(answer.status < 300, "{bucket:?}: {}", answer.text());
        bucket
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is a container of Azure, where each writing of an object makes a new ETag.
    pub fn is_of_azure(&self) -> bool {
        self.protocol == Protocol::Azure
    }

    /// Whether the server says of a missing bucket more than that something is not there, as Google itself does.
    pub fn names_missing_buckets(&self) -> bool {
        self.protocol != Protocol::Google
    }

    /// The port of its server.
    pub fn port(&self) -> u16 {
        let authority = self.server["http://".len()..].split('/').next().expect("a host");
        authority.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port")
    }

    /// The address of a key in it, as the command takes it.
    pub fn address(&self, key: &str) -> String {
        let scheme = match self.protocol {
            Protocol::S3 => "s3",
            Protocol::Azure => "az",
            Protocol::GoogleAsS3 | Protocol::Google => "gs",
        };
        format!("{scheme}://{}/{key}", self.name)
    }

    /// The environment variables with which the command reaches its store, by this port instead of its own.
    pub fn settings_through(&self, port: u16) -> Vec<(&'static str, String)> {
        let server = self.server.replace(&format!(":{}", self.port()), &format!(":{port}"));
        match self.protocol {
            Protocol::S3 => vec![
                ("AWS_ENDPOINT_URL", server),
                ("AWS_REGION", "us-east-1".into()),
                ("AWS_ACCESS_KEY_ID", "id".into()),
                ("AWS_SECRET_ACCESS_KEY", "very-secret".into()),
            ],
            Protocol::Azure => vec![
                ("AZURE_STORAGE_ENDPOINT", server),
                ("AZURE_STORAGE_ACCOUNT_NAME", all().azure.account.clone()),
                ("AZURE_STORAGE_ACCOUNT_KEY", all().azure.key.clone()),
            ],
            Protocol::GoogleAsS3 | Protocol::Google => vec![("STORAGE_EMULATOR_HOST", server)],
        }
    }

    /// The same by its own port.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        self.settings_through(self.port())
    }

    /// Stores an object.
    ///
    /// # Panics
    /// If the store refuses it.
    pub fn put(&self, key: &str, bytes: &[u8]) {
        let answer = match self.protocol {
            Protocol::Google => {
                let name = escaped(key).replace('/', "%2F");
                let path = format!("upload/storage/v1/b/{}/o?uploadType=media&name={name}", self.name);
                request("POST", &format!("{}/{path}", self.server), &[("Content-Type", "text/plain")], bytes)
            }
            _ => self.send("PUT", key, "", bytes),
        };
        assert!(answer.status < 300, "{key}: {} {}", answer.status, answer.text());
    }

    /// The content of an object; `None` if there is none.
    pub fn get(&self, key: &str) -> Option<Vec<u8>> {
        let answer = self.send("GET", key, "", &[]);
        (answer.status == 200).then_some(answer.body)
    }

    /// The keys of all objects, in order.
    pub fn keys(&self) -> Vec<String> {
        self.try_keys("").unwrap_or_else(|e| panic!("{self:?}: {e}"))
    }

    /// Whether parts of an object have arrived that is not complete.
    pub fn has_parts(&self) -> bool {
        match self.protocol {
            Protocol::Azure => {
                self.try_keys("&include=uncommittedblobs").is_ok_and(|all| all.len() > self.keys().len())
            }
            _ => self.open_uploads() > 0,
        }
    }

    /// Uploads that are neither complete nor aborted. Azure has none: it forgets parts without an end after a week.
    pub fn open_uploads(&self) -> usize {
        match self.protocol {
            Protocol::S3 | Protocol::GoogleAsS3 => {
                elements(&self.send("GET", "", "uploads", &[]).text(), "UploadId").len()
            }
            Protocol::Azure | Protocol::Google => 0,
        }
    }

    fn try_keys(&self, more: &str) -> io::Result<Vec<String>> {
        let (query, name) = match self.protocol {
            Protocol::Azure => (format!("restype=container&comp=list{more}"), "Name"),
            _ => ("list-type=2".to_owned(), "Key"),
        };
        let answer = self.try_send("GET", "", &query, &[])?;
        match answer.status {
            200 => Ok(elements(&answer.text(), name)),
            status => Err(io::Error::other(format!("{status} {}", answer.text()))),
        }
    }

    /// Sends a request for a key, or for the bucket.
    #[track_caller]
    fn send(&self, method: &str, key: &str, query: &str, body: &[u8]) -> Answer {
        self.try_send(method, key, query, body).unwrap_or_else(|e| panic!("{method} {key} in {self:?}: {e}"))
    }

    fn try_send(&self, method: &str, key: &str, query: &str, body: &[u8]) -> io::Result<Answer> {
        let slash = if key.is_empty() { "" } else { "/" };
        let mut url = format!("{}/{}{slash}{}?{query}", self.server, self.name, escaped(key));
        if self.protocol == Protocol::Azure {
            url += &format!("&{}", all().azure.sas);
        }
        // moto takes a body with another type for a form.
        let mut headers = vec![("Content-Type", "application/octet-stream")];
        headers.push(match self.protocol {
            Protocol::Azure => ("x-ms-blob-type", "BlockBlob"),
            // Whatever it is: without one, moto refuses to change an object that is there.
            _ => ("Authorization", "Bearer none"),
        });
        try_request(method, url.trim_end_matches('?'), &headers, body)
    }
}

impl Drop for Bucket {
    /// A test may have failed because its store is gone.
    fn drop(&mut self) {
        let whole = if self.protocol == Protocol::Azure {
            "restype=container"
        } else {
            for key in self.try_keys("").unwrap_or_default() {
                let _ = self.try_send("DELETE", &key, "", &[]);
            }
            ""
        };
        let _ = self.try_send("DELETE", "", whole, &[]);
    }
}

/// The texts of all elements of this name.
fn elements(xml: &str, name: &str) -> Vec<String> {
    let (start, end) = (format!("<{name}>"), format!("</{name}>"));
    let texts = xml.split(&start[..]).skip(1).filter_map(|rest| rest.split(&end[..]).next());
    texts.map(|text| text.replace("&amp;", "&")).collect()
}
