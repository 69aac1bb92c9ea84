//! Where a shared store is, and how to get there.

use super::directory::Directory;
use crate::error::{Result, StoreError};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::path::Path;
use object_store::{BackoffConfig, ClientOptions, ObjectStore, RetryConfig};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Opens the object store that an address names; also returns what is below the bucket.
pub(crate) fn open(url: &str, variables: &[(String, String)]) -> Result<(Arc<dyn ObjectStore>, Path)> {
    let refused = |why: String| StoreError::Refused { at: PathBuf::from(url), why };
    let (scheme, rest) = url.split_once("://").ok_or_else(|| refused("it is not an address".to_owned()))?;
    if scheme == "file" {
        let at = PathBuf::from(rest);
        if !at.is_absolute() {
            return Err(refused("the address of a directory has its absolute path: file:///DIR".to_owned()));
        }
        let directory = Directory::open(&at).map_err(|source| StoreError::Io { at, source })?;
        return Ok((Arc::new(directory), Path::default()));
    }
    let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
    if bucket.is_empty() {
        return Err(refused("it names no bucket".to_owned()));
    }
    let prefix = Path::parse(prefix.trim_end_matches('/')).map_err(|error| refused(error.to_string()))?;
    // TLS uses a process-wide cryptography provider. If another one is already installed, it stays.
    drop(rustls::crypto::ring::default_provider().install_default());
    let options = ClientOptions::new()
        .with_connect_timeout(Duration::from_secs(5))
        .with_timeout(Duration::from_secs(30))
        .with_allow_http(variables.iter().any(|(name, value)| {
            name.to_ascii_uppercase().contains("ENDPOINT") && value.starts_with("http://")
        }));
    let retry = RetryConfig {
        backoff: BackoffConfig::default(),
        max_retries: 3,
        retry_timeout: Duration::from_secs(20),
    };
    /// The variables that a builder knows.
    macro_rules! built {
        ($builder:expr, $key:ty, $prefix:literal) => {{
            let mut builder = $builder.with_client_options(options).with_retry(retry);
            for (name, value) in variables.iter().filter(|(name, _)| name.starts_with($prefix)) {
                if let Ok(key) = name.to_ascii_lowercase().parse::<$key>() {
                    builder = builder.with_config(key, value);
                }
            }
            builder.build().map(|store| Arc::new(store) as Arc<dyn ObjectStore>)
        }};
    }
    let store = match scheme {
        "s3" => built!(AmazonS3Builder::new().with_bucket_name(bucket), AmazonS3ConfigKey, "AWS_"),
        "gs" => built!(GoogleCloudStorageBuilder::new().with_bucket_name(bucket), GoogleConfigKey, "GOOGLE_"),
        "az" => built!(MicrosoftAzureBuilder::new().with_container_name(bucket), AzureConfigKey, "AZURE_"),
        _ => return Err(refused("it begins with none of s3://, gs://, az:// and file://".to_owned())),
    };
    let line =
        |error: object_store::Error| error.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    Ok((store.map_err(|error| refused(line(error)))?, prefix))
}
