//! Real parts on the way: an authority, a model server behind TLS or not, and a proxy.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use siltstone_test_servers::request::{self, Received};
use tempfile::NamedTempFile;

/// A certificate authority of its own, that nobody trusts by itself.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: NamedTempFile,
}

impl Authority {
    pub fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        let mut pem = NamedTempFile::new().unwrap();
        pem.write_all(certificate.pem().as_bytes()).unwrap();
        Self { issuer: Issuer::new(params, key), pem }
    }

    pub fn path(&self) -> String {
        self.pem.path().display().to_string()
    }

    pub fn key_pem(&self) -> String {
        self.issuer.key().serialize_pem()
    }

    fn server(&self) -> Arc<ServerConfig> {
        siltstone_providers::install_crypto();
        let names = ["127.0.0.1", "model.invalid"].map(str::to_owned);
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(names).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let certificate = CertificateDer::from_pem_slice(certificate.pem().as_bytes()).unwrap();
        let key = PrivateKeyDer::from_pem_slice(key.serialize_pem().as_bytes()).unwrap();
        let config = ServerConfig::builder().with_no_client_auth();
        Arc::new(config.with_single_cert(vec![certificate], key).unwrap())
    }
}

const ANSWER: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n\
    data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello.\"}}]}\n\n\
    data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

/// Says hello to everyone.
pub struct Model {
    pub port: u16,
    received: Receiver<Received>,
}

impl Model {
    /// Behind TLS, when an authority vouches for it.
    pub fn start(authority: Option<&Authority>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let config = authority.map(Authority::server);
        let (send, received) = channel();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let stream = stream.unwrap();
                match &config {
                    Some(config) => {
                        let tls = ServerConnection::new(config.clone()).unwrap();
                        let mut stream = StreamOwned::new(tls, stream);
                        answer(&mut stream, &send);
                        stream.conn.send_close_notify();
                        let _ = stream.flush();
                    }
                    None => answer(&mut { stream }, &send),
                }
            }
        });
        Self { port, received }
    }

    /// What was asked since the last look.
    pub fn received(&self) -> Vec<Received> {
        self.received.try_iter().collect()
    }
}

/// Who does not trust us, or is done, may have gone before we are.
fn answer(stream: &mut (impl Read + Write), send: &Sender<Received>) {
    let received = request::read(stream);
    if !received.head.is_empty() {
        let _ = send.send(received);
        let _ = stream.write_all(ANSWER.as_bytes());
    }
}

/// A proxy that leads to one port of this computer, whatever it is asked for.
pub struct Tunnel {
    pub port: u16,
    heard: Arc<Mutex<Vec<Received>>>,
}

impl Tunnel {
    pub fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let own = listener.local_addr().unwrap().port();
        let heard = Arc::<Mutex<Vec<Received>>>::default();
        let noted = heard.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                noted.lock().unwrap().push(request::read(&mut stream));
                let there = TcpStream::connect(("127.0.0.1", port)).unwrap();
                stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
                let (back, forth) = (stream.try_clone().unwrap(), there.try_clone().unwrap());
                thread::spawn(move || pass(stream, there));
                thread::spawn(move || pass(forth, back));
            }
        });
        Self { port: own, heard }
    }

    /// What it was asked for since the last look.
    pub fn heard(&self) -> Vec<Received> {
        std::mem::take(&mut *self.heard.lock().unwrap())
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream) {
    let _ = std::io::copy(&mut from, &mut to);
    let _ = to.shutdown(Shutdown::Write);
}
