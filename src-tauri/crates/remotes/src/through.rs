//! The library's HTTP, handed to the gate request by request.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Response};
use http_body_util::BodyExt;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
};
use object_store::{ClientOptions, Result};
use siltstone_engine::checkpoint::MAX_PACKED;
use siltstone_engine::checkpoint::remote::{Web, WebRequest};
use siltstone_engine::ports::Access;
use siltstone_engine::provider::ProviderError;

/// Sends by way of the gate, on behalf of one remote.
#[derive(Clone)]
pub(crate) struct Through {
    web: Arc<dyn Web>,
    access: Access,
}

impl Through {
    pub(crate) fn new(web: Arc<dyn Web>, access: Access) -> Self {
        Self { web, access }
    }
}

impl fmt::Debug for Through {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Through(the gate)")
    }
}

impl HttpConnector for Through {
    fn connect(&self, _: &ClientOptions) -> Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}

#[async_trait]
impl HttpService for Through {
    async fn call(&self, request: HttpRequest) -> std::result::Result<HttpResponse, HttpError> {
        let (head, body) = request.into_parts();
        let headers = head.headers.iter();
        let request = WebRequest {
            method: head.method.to_string(),
            url: head.uri.to_string(),
            headers: headers
                .map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()))
                .collect(),
            secret_header: String::new(),
            body: body.collect().await?.to_bytes().into(),
            keep: false,
            noted: false,
            most: MAX_PACKED,
        };
        let answer = self.web.send(request, self.access.clone()).await.map_err(not_answered)?;
        let mut response = Response::new(Bytes::from(answer.body).into());
        let unreadable = |error: http::Error| HttpError::new(HttpErrorKind::Decode, error);
        *response.status_mut() =
            answer.status.try_into().map_err(|error| unreadable(http::Error::from(error)))?;
        for (name, value) in answer.headers {
            let name = HeaderName::try_from(name).map_err(|error| unreadable(error.into()))?;
            let value = HeaderValue::try_from(value).map_err(|error| unreadable(error.into()))?;
            response.headers_mut().append(name, value);
        }
        Ok(response)
    }
}

/// What the gate refuses it refuses again; what the network lost may come through the next time.
fn not_answered(error: ProviderError) -> HttpError {
    let kind = match error {
        ProviderError::Cut { .. } => HttpErrorKind::Interrupted,
        ProviderError::TimedOut { .. } => HttpErrorKind::Timeout,
        _ => HttpErrorKind::Unknown,
    };
    HttpError::new(kind, error)
}
