//! By which way: clients for plain and encrypted talk with this computer, and for other computers.
//!
//! Encrypted talk trusts whom the system trusts, so that a company's own authority works as it does in the browser, and
//! the certificates of the settings besides. Only other computers are asked through a proxy. When the settings change,
//! the next request finds new clients; a reply on its way keeps the old one.

use std::io::Read;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use reqwest::{Certificate, Client, ClientBuilder, Url, redirect};
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use siltstone_engine::provider::ProviderError;
use siltstone_engine::settings::{Network, Proxy};

use super::place::{self, ThisComputer};
use super::{innermost, unreachable};

/// How long a connection that nothing goes over is kept. Servers of Node, uvicorn and llama.cpp close one after five seconds,
/// and a request that meets the end of it is lost: it may not be sent twice.
const IDLE: Duration = Duration::from_secs(4);

/// Far more than all authorities of a system need.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// The clients of one gate, each made when it is needed first.
pub(super) struct Clients {
    connect: Duration,
    /// Reaches this computer without TLS, and nothing else: a system without any authorities can still do this.
    plain: OnceLock<Result<Client, String>>,
    secure: Mutex<Option<Secure>>,
}

/// Clients that speak TLS.
struct Secure {
    network: Network,
    /// Reaches this computer and nothing else.
    home: Client,
    /// Reaches other computers.
    away: Client,
}

impl Clients {
    pub(super) fn new(connect: Duration) -> Self {
        Self { connect, plain: OnceLock::new(), secure: Mutex::new(None) }
    }

    /// The client for an address that may be asked.
    pub(super) fn to(&self, url: &Url, network: &Network) -> Result<Client, ProviderError> {
        let home = place::is_home(url);
        if home && url.scheme() == "http" {
            let made = self.plain.get_or_init(|| {
                self.at_home([]).tls_certs_only([]).build().map_err(|error| innermost(&error))
            });
            return made.clone().map_err(|detail| unreachable(url, detail));
        }
        let mut secure = self.secure.lock().unwrap_or_else(PoisonError::into_inner);
        let secure = match secure.take() {
            Some(made) if made.network == *network => secure.insert(made),
            _ => secure.insert(self.make(network)?),
        };
        Ok(if home { secure.home.clone() } else { secure.away.clone() })
    }

    /// Makes the clients for these settings, or says why there can be none.
    pub(super) fn renew(&self, network: &Network) -> Result<(), ProviderError> {
        let made = self.make(network)?;
        *self.secure.lock().unwrap_or_else(PoisonError::into_inner) = Some(made);
        Ok(())
    }

    fn make(&self, network: &Network) -> Result<Secure, ProviderError> {
        let certificates = certificates(&network.extra_ca)?;
        let failed = |error| ProviderError::Certificates {
            path: network.extra_ca.clone(),
            detail: innermost(&error),
        };
        let away = self.builder(certificates.clone()).https_only(true);
        let away = match &network.proxy {
            Proxy::System => away,
            Proxy::Direct => away.no_proxy(),
            Proxy::Address { url } => away.proxy(proxy(url)?),
        };
        Ok(Secure {
            network: network.clone(),
            home: self.at_home(certificates).build().map_err(failed)?,
            away: away.build().map_err(failed)?,
        })
    }

    fn at_home(&self, certificates: impl IntoIterator<Item = Certificate>) -> ClientBuilder {
        self.builder(certificates).no_proxy().dns_resolver(ThisComputer)
    }

    fn builder(&self, certificates: impl IntoIterator<Item = Certificate>) -> ClientBuilder {
        crate::install_crypto();
        Client::builder()
            .redirect(redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .connect_timeout(self.connect)
            .pool_idle_timeout(IDLE)
            .tls_certs_merge(certificates)
    }
}

/// The certificates in a PEM file; none without a path.
fn certificates(path: &str) -> Result<Vec<Certificate>, ProviderError> {
    if path.is_empty() {
        return Ok(Vec::new());
    }
    let unusable = |detail: String| ProviderError::Certificates { path: path.to_owned(), detail };
    let pem = read(path).map_err(|error| unusable(error.to_string()))?;
    let certificates = CertificateDer::pem_slice_iter(&pem)
        .map(|certificate| {
            let certificate = certificate.map_err(|error| error.to_string())?;
            let made = Certificate::from_der(&certificate).map_err(|error| innermost(&error))?;
            // Says what is wrong with one that would only be passed over later.
            RootCertStore::empty().add(certificate).map_err(|error| error.to_string())?;
            Ok(made)
        })
        .collect::<Result<Vec<_>, String>>()
        .map_err(unusable)?;
    if certificates.is_empty() {
        return Err(unusable("there is no certificate in it".to_owned()));
    }
    Ok(certificates)
}

fn read(path: &str) -> std::io::Result<Vec<u8>> {
    let file = std::fs::File::open(path)?;
    let mut pem = Vec::new();
    if !file.metadata()?.is_file() {
        return Err(std::io::Error::other("not a file"));
    }
    file.take(MOST_BYTES).read_to_end(&mut pem)?;
    Ok(pem)
}

/// The proxy at this address. A password in it would be kept in the open, so there is none.
fn proxy(address: &str) -> Result<reqwest::Proxy, ProviderError> {
    let unusable = |detail: &str| ProviderError::Proxy { detail: detail.to_owned() };
    let url = Url::parse(address.trim()).map_err(|error| unusable(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https" | "socks5" | "socks5h") {
        return Err(unusable("an address begins with http://, https://, socks5:// or socks5h://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(unusable("an address has no user name or password"));
    }
    let more = !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some();
    if url.host_str().is_none_or(str::is_empty) || more {
        return Err(unusable("an address is a host and a port"));
    }
    reqwest::Proxy::all(url).map_err(|error| unusable(&innermost(&error)))
}
