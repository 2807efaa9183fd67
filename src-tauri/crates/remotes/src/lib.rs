//! Places beyond this computer where checkpoints are kept: a folder, or a bucket at S3, Azure or Google.
//!
//! Implements the engine's port [`Remotes`] with `object_store`, which signs requests and knows the services' ways; the
//! hosts make one [`Buckets`] and hand it to the use cases. Every request it makes leaves through the engine's
//! [`Web`], so that the one gate decides, writes down and sends. Nothing here knows what is in a blob. Credentials come
//! from outside and are kept nowhere; the environment is not asked for any.

#![deny(missing_docs)]

mod through;

use std::sync::Arc;

use futures_util::TryStreamExt;
use object_store::aws::{AmazonS3Builder, S3ConditionalPut};
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{
    ClientOptions, Error, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload, RetryConfig,
};
use siltstone_engine::checkpoint::remote::{
    Carried, RemoteBlobs, RemoteError, RemotePlace, Remotes, Web,
};
use siltstone_engine::ports::Access;
use siltstone_engine::provider::ProviderError;
use siltstone_engine::secret::Secret;

use through::Through;

/// Times a request is made again when the service says that it is busy.
const RETRIES: usize = 3;

/// Reaches all remotes through one gate.
pub struct Buckets {
    web: Arc<dyn Web>,
}

impl Buckets {
    /// With the gate that requests leave through.
    pub fn new(web: Arc<dyn Web>) -> Self {
        Self { web }
    }
}

impl Remotes for Buckets {
    fn connect(
        &self,
        at: &RemotePlace,
        credentials: Option<&Secret>,
        access: Access,
    ) -> Result<Arc<dyn RemoteBlobs>, RemoteError> {
        let through = Through::new(self.web.clone(), access);
        let secret = credentials.map(Secret::expose).unwrap_or_default();
        // The gate says whether an address may be asked without TLS.
        let options = ClientOptions::new().with_allow_http(true);
        let retry = RetryConfig { max_retries: RETRIES, ..RetryConfig::default() };
        let (store, prefix): (Arc<dyn ObjectStore>, &str) = match at {
            RemotePlace::Folder { path } => {
                let store = LocalFileSystem::new_with_prefix(path).map_err(unusable)?;
                (Arc::new(store.with_fsync(true)), "")
            }
            RemotePlace::S3 { endpoint, region, bucket, prefix, access_key_id } => {
                let mut made = AmazonS3Builder::new()
                    .with_region(region)
                    .with_bucket_name(bucket)
                    .with_access_key_id(access_key_id)
                    .with_secret_access_key(secret)
                    .with_conditional_put(S3ConditionalPut::ETagMatch)
                    .with_client_options(options)
                    .with_retry(retry)
                    .with_http_connector(through);
                if !endpoint.is_empty() {
                    made = made.with_endpoint(endpoint);
                }
                (Arc::new(made.build().map_err(unusable)?), prefix)
            }
            RemotePlace::Azure { endpoint, account, container, prefix } => {
                let mut made = MicrosoftAzureBuilder::new()
                    .with_account(account)
                    .with_container_name(container)
                    .with_access_key(secret)
                    .with_client_options(options)
                    .with_retry(retry)
                    .with_http_connector(through);
                if !endpoint.is_empty() {
                    made = made.with_endpoint(endpoint.clone());
                }
                (Arc::new(made.build().map_err(unusable)?), prefix)
            }
            RemotePlace::Gcs { bucket, prefix } => {
                let made = GoogleCloudStorageBuilder::new()
                    .with_bucket_name(bucket)
                    .with_service_account_key(secret)
                    .with_client_options(options)
                    .with_retry(retry)
                    .with_http_connector(through);
                (Arc::new(made.build().map_err(unusable)?), prefix)
            }
        };
        Ok(match prefix.is_empty() {
            true => Arc::new(Bucket { store }),
            false => Arc::new(Bucket { store: Arc::new(PrefixStore::new(store, prefix)) }),
        })
    }
}

/// The blobs of one place.
struct Bucket {
    store: Arc<dyn ObjectStore>,
}

impl RemoteBlobs for Bucket {
    fn list<'a>(&'a self, prefix: &'a str) -> Carried<'a, Vec<String>> {
        Box::pin(async move {
            let below = Path::from(prefix);
            let found = self.store.list(Some(&below)).map_ok(|it| it.location.to_string());
            found.try_collect().await.map_err(fault)
        })
    }

    fn get<'a>(&'a self, name: &'a str) -> Carried<'a, Vec<u8>> {
        Box::pin(async move {
            let found = self.store.get(&Path::from(name)).await.map_err(fault)?;
            Ok(found.bytes().await.map_err(fault)?.into())
        })
    }

    fn put_if_absent<'a>(&'a self, name: &'a str, bytes: Vec<u8>) -> Carried<'a, bool> {
        Box::pin(async move {
            let once = PutOptions::from(PutMode::Create);
            let put = self.store.put_opts(&Path::from(name), PutPayload::from(bytes), once).await;
            match put {
                Ok(_) => Ok(true),
                Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => Ok(false),
                Err(other) => Err(fault(other)),
            }
        })
    }
}

fn unusable(error: Error) -> RemoteError {
    RemoteError::Unusable { detail: error.to_string() }
}

/// What the gate said is found below what the library made of it.
fn fault(error: Error) -> RemoteError {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(inner) = cause {
        if let Some(gate) = inner.downcast_ref::<ProviderError>() {
            return of_gate(gate);
        }
        cause = inner.source();
    }
    match error {
        Error::NotFound { path, .. } => RemoteError::NotFound { name: path },
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
            RemoteError::Refused { detail: error.to_string() }
        }
        other => RemoteError::Unreachable { detail: other.to_string() },
    }
}

fn of_gate(error: &ProviderError) -> RemoteError {
    match error {
        ProviderError::NotLocal { url } => RemoteError::NotLocal { url: url.clone() },
        ProviderError::Insecure { url } => RemoteError::Insecure { url: url.clone() },
        ProviderError::NotRecorded { detail } => {
            RemoteError::NotRecorded { detail: detail.clone() }
        }
        other => RemoteError::Unreachable { detail: other.to_string() },
    }
}
