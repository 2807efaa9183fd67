//! Which addresses may be asked at all.
//!
//! This computer's own always may. Others may over TLS, unless the person keeps everything on this computer; then they
//! are refused before a name is looked up or a socket is made. Plain HTTP never leaves this computer.

use std::net::{IpAddr, SocketAddr};

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use siltstone_engine::provider::ProviderError;

use super::unreachable;

/// A provider's base URL, if it may be asked.
pub(super) fn base(base_url: &str, this_computer_only: bool) -> Result<Url, ProviderError> {
    let url = Url::parse(base_url.trim()).map_err(|error| ProviderError::Unreachable {
        // What cannot be read as an address may hold anything, so it is not repeated.
        url: String::new(),
        detail: error.to_string(),
    })?;
    check(&url, this_computer_only)?;
    let named = !url.username().is_empty() || url.password().is_some();
    if named || url.query().is_some() || url.fragment().is_some() {
        let detail = "a base URL has no user name, password, query or fragment".to_owned();
        return Err(unreachable(&url, detail));
    }
    Ok(url)
}

/// Checks the address; what a name of this computer stands for is checked by [`ThisComputer`] when it is looked up.
pub(super) fn check(url: &Url, this_computer_only: bool) -> Result<(), ProviderError> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(unreachable(url, "neither http nor https".to_owned()));
    }
    if is_home(url) {
        Ok(())
    } else if this_computer_only {
        Err(ProviderError::NotLocal { url: shown(url) })
    } else if url.scheme() == "https" {
        Ok(())
    } else {
        Err(ProviderError::Insecure { url: shown(url) })
    }
}

/// Whether an address names this computer.
pub(super) fn is_home(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let literal = host.trim_start_matches('[').trim_end_matches(']');
    match literal.parse::<IpAddr>() {
        Ok(ip) => is_loopback(ip),
        Err(_) => host == "localhost",
    }
}

fn is_loopback(ip: IpAddr) -> bool {
    ip.to_canonical().is_loopback()
}

/// The address without credentials or query.
pub(super) fn shown(url: &Url) -> String {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let host = url.host_str().unwrap_or_default();
    format!("{}://{host}{port}{}", url.scheme(), url.path())
}

/// Looks names up and lets only this computer's own addresses through, so that what was checked is what is connected.
pub(super) struct ThisComputer;

/// A name that leads away from this computer.
#[derive(Debug, thiserror::Error)]
#[error("{name} does not lead to this computer")]
pub(super) struct LeadsAway {
    name: String,
}

impl Resolve for ThisComputer {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let name = name.as_str().to_owned();
            let found: Vec<SocketAddr> =
                tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            if found.iter().all(|address| is_loopback(address.ip())) {
                Ok(Box::new(found.into_iter()) as Addrs)
            } else {
                Err(LeadsAway { name }.into())
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("http://example.com/v1")]
    #[case("https://example.com/v1")]
    #[case("http://192.168.0.2:11434/v1")]
    #[case("http://10.0.0.1/v1")]
    #[case("http://0.0.0.0:8080/v1")]
    #[case("http://[::]:8080/v1")]
    #[case("http://[fe80::1]/v1")]
    #[case("http://[::ffff:10.0.0.1]/v1")]
    #[case("http://169.254.169.254/v1")]
    #[case("http://localhost.example.com/v1")]
    #[case("http://127.0.0.1.example.com/v1")]
    #[case("http://127.0.0.1@example.com/v1")]
    #[case("http://localhost:1@example.com/v1")]
    #[case("http://example.com\\@127.0.0.1/v1")]
    #[case("http://ⓔxample.com/v1")]
    fn what_is_elsewhere_is_asked_over_tls_or_not_at_all(#[case] base_url: &str) {
        let kept = base(base_url, true);
        assert!(matches!(kept, Err(ProviderError::NotLocal { .. })), "{kept:?}");
        let free = base(base_url, false);
        if base_url.starts_with("https:") {
            assert_eq!(free.unwrap().as_str(), base_url);
        } else {
            assert!(matches!(free, Err(ProviderError::Insecure { .. })), "{free:?}");
        }
    }

    #[rstest]
    #[case("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1")]
    #[case("http://127.9.9.9/v1", "http://127.9.9.9/v1")]
    #[case(" http://LOCALHOST:1234/v1", "http://localhost:1234/v1")]
    #[case("https://[::1]:8080/v1", "https://[::1]:8080/v1")]
    #[case("http://2130706433/v1", "http://127.0.0.1/v1")]
    fn every_name_of_this_computer_is_asked(#[case] base_url: &str, #[case] whole: &str) {
        assert_eq!(base(base_url, true).unwrap().as_str(), whole);
    }

    #[rstest]
    #[case("file:///etc/passwd")]
    #[case("ftp://127.0.0.1/v1")]
    #[case("127.0.0.1:8080")]
    #[case("sk-canary pasted in the wrong place")]
    #[case("https://sk-canary@example.com/v1")]
    #[case("https://name:sk-canary@example.com/v1")]
    #[case("https://example.com/v1?key=sk-canary")]
    #[case("https://example.com/v1#sk-canary")]
    fn what_is_no_base_url_is_said_to_be_unreachable_and_not_repeated(#[case] base_url: &str) {
        let refused = base(base_url, false).unwrap_err();
        assert!(matches!(refused, ProviderError::Unreachable { .. }), "{refused:?}");
        assert!(!format!("{refused} {refused:?}").contains("canary"), "{refused:?}");
    }

    #[tokio::test]
    async fn a_name_that_leads_away_is_refused_when_it_is_looked_up() {
        let home = ThisComputer.resolve(Name::from_str("localhost").unwrap()).await;
        assert!(home.unwrap().all(|address| is_loopback(address.ip())));
        let away = ThisComputer.resolve(Name::from_str("192.0.2.1").unwrap()).await;
        assert!(away.is_err_and(|error| error.is::<LeadsAway>()));
    }
}
