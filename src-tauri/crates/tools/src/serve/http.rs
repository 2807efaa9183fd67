//! The server for many clients, over the protocol's HTTP on this computer alone. Whoever asks shows a token, so that neither
//! another user of the computer nor a page in a browser is answered: a page that has a name of its own made to mean this
//! computer is refused by the name it asks, any other by its origin.

use std::convert::Infallible;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::StreamableHttpService;
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use siltstone_engine::secret::Secret;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::{Served, Server};

/// Where the server is on its address.
const PATH: &str = "/mcp";

/// Pages that may ask, with the token: those of this computer.
const ORIGINS: [&str; 3] = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];

/// Connections at a time; more wait.
const CONNECTIONS: usize = 256;

/// How long a client may take to say what it wants.
const HEAD: Duration = Duration::from_secs(30);

/// After what silence a client is forgotten; it is told to begin anew.
const SILENCE: Duration = Duration::from_secs(60 * 60);

/// How long is waited where the system has no room for another connection.
const NO_ROOM: Duration = Duration::from_millis(100);

/// Longest message of a client, in bytes: a line for memory with what it rests on is far below.
const MESSAGE: usize = 1024 * 1024;

/// A server that is there to be asked.
#[derive(Debug)]
pub struct Listening {
    listener: TcpListener,
    /// Its address.
    pub url: String,
}

/// Takes a port of this computer, 0 for any that is free.
pub async fn listen(port: u16) -> io::Result<Listening> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    let url = format!("http://{}{PATH}", listener.local_addr()?);
    Ok(Listening { listener, url })
}

impl Listening {
    /// Serves whoever shows the token, until the future is dropped.
    pub async fn serve(self, served: impl Served, token: &Secret) -> io::Result<Infallible> {
        let served = Arc::new(served);
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(SILENCE);
        let config = StreamableHttpServerConfig::default()
            .with_allowed_origins(ORIGINS)
            .with_max_request_body_bytes(MESSAGE);
        let _ends = config.cancellation_token.clone().drop_guard();
        let make = move || Ok(Server(served.clone()));
        let offered = StreamableHttpService::new(make, Arc::new(sessions), config);
        let token = blake3::hash(token.expose().as_bytes());
        let room = Arc::new(Semaphore::new(CONNECTIONS));
        let mut connections = tokio::task::JoinSet::new();
        loop {
            // It is closed by nobody.
            let place = room.clone().acquire_owned().await.map_err(io::Error::other)?;
            let stream = match self.listener.accept().await {
                Ok((stream, _)) => stream,
                // One that went away again, or one too many for the moment: others are served all the same.
                Err(error) => {
                    tracing::warn!(%error, "taking a connection");
                    tokio::time::sleep(NO_ROOM).await;
                    continue;
                }
            };
            while connections.try_join_next().is_some() {}
            let offered = offered.clone();
            let service = service_fn(move |request: Request<Incoming>| {
                let offered = offered.clone();
                async move {
                    Ok::<_, Infallible>(match refused(&request, token) {
                        Some(refusal) => refusal,
                        None => offered.handle(request).await,
                    })
                }
            });
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD)
                .serve_connection(TokioIo::new(stream), service);
            connections.spawn(async move {
                if let Err(error) = connection.await {
                    tracing::debug!(%error, "a connection");
                }
                drop(place);
            });
        }
    }
}

/// Why somebody is not answered; nobody without the token learns what there is.
fn refused<B>(
    request: &Request<B>,
    token: blake3::Hash,
) -> Option<Response<BoxBody<Bytes, Infallible>>> {
    let status = match (shows(request.headers(), token), request.uri().path()) {
        (false, _) => StatusCode::UNAUTHORIZED,
        (true, PATH) => return None,
        (true, _) => StatusCode::NOT_FOUND,
    };
    let mut response = Response::new(Full::default().boxed());
    *response.status_mut() = status;
    if status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(WWW_AUTHENTICATE, http::HeaderValue::from_static("Bearer"));
    }
    Some(response)
}

/// Whether it is the token. Hashes are compared, in a time that tells nothing.
fn shows(headers: &HeaderMap, token: blake3::Hash) -> bool {
    let said = headers.get(AUTHORIZATION).and_then(|it| it.to_str().ok());
    let Some((scheme, shown)) = said.and_then(|it| it.split_once(' ')) else { return false };
    scheme.eq_ignore_ascii_case("bearer") && blake3::hash(shown.trim().as_bytes()) == token
}
