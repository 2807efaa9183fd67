//! What a key belongs to, where it may be kept, and what may be shown of it.
//!
//! The keys themselves are behind [`SecretStore`](crate::ports::SecretStore), which the `secrets` room implements; the
//! database holds no more of one than a [`KeyShown`]. Reading the provider off a key's beginning is a suggestion to the
//! person, never a decision.

use serde::{Deserialize, Serialize};
use url::{Host, Url};

use crate::provider::{ProviderKind, ProviderRecord};
use crate::secret::Secret;

/// Shortest key whose end is shown: of a shorter one, four characters would be too large a part.
const SHOWN_FROM: usize = 16;

/// How keys of hosted services begin, the more particular first.
const KNOWN: [(&str, ProviderKind, &str, &str); 6] = [
    ("sk-ant-", ProviderKind::Anthropic, "Anthropic", "https://api.anthropic.com/v1"),
    ("sk-or-", ProviderKind::Openai, "OpenRouter", "https://openrouter.ai/api/v1"),
    ("sk-", ProviderKind::Openai, "OpenAI", "https://api.openai.com/v1"),
    ("gsk_", ProviderKind::Openai, "Groq", "https://api.groq.com/openai/v1"),
    ("xai-", ProviderKind::Openai, "xAI", "https://api.x.ai/v1"),
    ("AIza", ProviderKind::Gemini, "Gemini", "https://generativelanguage.googleapis.com/v1beta"),
];

/// What a key is kept under: the provider's name and the origin it was entered for. A provider whose address moves to
/// another origin no longer finds its key, so that no change of address can send a key elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Account(String);

impl Account {
    /// The account of a provider; `None` when it has no address that a key could be sent to.
    pub fn of(record: &ProviderRecord) -> Option<Self> {
        let url = Url::parse(&record.base_url).ok()?;
        let origin = url.origin();
        origin.is_tuple().then(|| Self(format!("{} {}", record.name, origin.ascii_serialization())))
    }

    /// The account as it was written down.
    pub fn from_text(text: String) -> Self {
        Self(text)
    }

    /// As it is written down.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Where a key is kept. The person chooses; there is no place in plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// The system's keyring.
    Keyring,
    /// The memory of this process: forgotten when it ends.
    Session,
    /// A file in the data folder, encrypted under a passphrase.
    Vault,
}

/// What is shown of a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct KeyShown {
    /// Where it is kept.
    pub place: Place,
    /// Its last four characters; empty when it is too short to show any.
    pub last_four: String,
}

impl KeyShown {
    /// What is shown of this key.
    pub fn of(key: &Secret, place: Place) -> Self {
        let characters: Vec<char> = key.expose().chars().collect();
        let shown = if characters.len() < SHOWN_FROM { 0 } else { 4 };
        Self { place, last_four: characters[characters.len() - shown..].iter().collect() }
    }
}

/// The state of the system's keyring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum KeyringState {
    /// Ready.
    Unlocked,
    /// There, and closed until the person opens it.
    Locked,
    /// This system has none.
    Absent,
    /// It does not answer.
    Silent,
}

/// The state of the encrypted file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum VaultState {
    /// None was made.
    Absent,
    /// There, and closed until its passphrase is given.
    Locked,
    /// Open in this process.
    Unlocked,
}

/// Whether a provider answers nobody without a key: hosted services do not, servers on this computer do.
pub fn needs_key(record: &ProviderRecord) -> bool {
    match record.kind {
        ProviderKind::Offline | ProviderKind::Ollama | ProviderKind::Agent => false,
        ProviderKind::Openai | ProviderKind::Anthropic | ProviderKind::Gemini => {
            !on_this_computer(&record.base_url)
        }
    }
}

/// The provider whose keys begin like this one.
pub fn recognise(key: &Secret) -> Option<ProviderRecord> {
    let key = key.expose().trim();
    let known = KNOWN.iter().find(|(start, ..)| key.starts_with(start))?;
    let (_, kind, name, base_url) = *known;
    Some(ProviderRecord { name: name.to_owned(), kind, base_url: base_url.to_owned() })
}

/// Whether an address is one of this computer's own.
pub fn on_this_computer(base_url: &str) -> bool {
    match Url::parse(base_url).as_ref().map(Url::host) {
        Ok(Some(Host::Domain(name))) => name == "localhost",
        Ok(Some(Host::Ipv4(address))) => address.is_loopback(),
        Ok(Some(Host::Ipv6(address))) => address.to_canonical().is_loopback(),
        Ok(None) | Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn openai(name: &str, base_url: &str) -> ProviderRecord {
        let (name, base_url) = (name.to_owned(), base_url.to_owned());
        ProviderRecord { name, kind: ProviderKind::Openai, base_url }
    }

    #[test]
    fn an_account_is_a_name_at_an_origin() {
        let account = |base_url| Account::of(&openai("work", base_url));
        let home = account("https://api.openai.com/v1");
        assert_eq!(home.as_ref().map(Account::as_str), Some("work https://api.openai.com"));
        for same in [
            "https://api.openai.com",
            "https://api.openai.com:443/v2",
            "HTTPS://API.OpenAI.com/v1",
            "https://someone@api.openai.com/v1?to=evil.example",
        ] {
            assert_eq!(account(same), home, "{same}");
        }
        for other in [
            "http://api.openai.com/v1",
            "https://api.openai.com:8443/v1",
            "https://api.openai.com.evil.example/v1",
            "https://api.openai.com@evil.example/v1",
            "https://evil.example/https://api.openai.com/v1",
            "https://evil.example\\@api.openai.com/v1",
            "https://api.openai.com./v1",
        ] {
            assert!(account(other).is_some_and(|found| Some(found) != home), "{other}");
        }
        assert_ne!(Account::of(&openai("play", "https://api.openai.com/v1")), home);
        for none in ["", "api.openai.com", "file:///etc/passwd", "data:,x", "unix:/run/model"] {
            assert_eq!(account(none), None, "{none}");
        }
    }

    #[test]
    fn hosted_services_need_a_key_and_servers_on_this_computer_do_not() {
        for (base_url, needed) in [
            ("https://api.openai.com/v1", true),
            ("https://localhost.evil.example/v1", true),
            ("http://127.0.0.1.evil.example/v1", true),
            ("http://192.168.0.4:1234/v1", true),
            ("http://localhost:1234/v1", false),
            ("http://127.0.0.1:8080/v1", false),
            ("http://[::1]:8080/v1", false),
            ("http://[::ffff:127.0.0.1]:8080/v1", false),
        ] {
            assert_eq!(needs_key(&openai("x", base_url)), needed, "{base_url}");
        }
        let ollama = ProviderRecord {
            kind: ProviderKind::Ollama,
            ..openai("ollama", "http://192.168.0.4:11434")
        };
        assert!(!needs_key(&ollama));
    }

    #[test]
    fn a_key_is_recognised_by_its_beginning() {
        for (key, name) in [
            ("sk-ant-api03-x", Some("Anthropic")),
            (" sk-or-v1-x\n", Some("OpenRouter")),
            ("sk-proj-x", Some("OpenAI")),
            ("sk-x", Some("OpenAI")),
            ("AIzaSyx", Some("Gemini")),
            ("gsk_x", Some("Groq")),
            ("xai-x", Some("xAI")),
            ("x", None),
            ("", None),
        ] {
            let found = recognise(&Secret::new(key.to_owned()));
            assert_eq!(found.as_ref().map(|record| record.name.as_str()), name, "{key}");
            assert!(
                found.is_none_or(|record| needs_key(&record) && Account::of(&record).is_some())
            );
        }
    }

    #[test]
    fn the_end_of_a_key_is_shown_only_when_much_is_left_hidden() {
        let shown =
            |key: &str| KeyShown::of(&Secret::new(key.to_owned()), Place::Session).last_four;
        assert_eq!(shown("sk-0123456789abcdef"), "cdef");
        assert_eq!(shown("열여섯글자를넘는열쇠는이런것입니다"), "것입니다");
        assert_eq!(shown("0123456789abcde"), "");
        assert_eq!(shown(""), "");
    }
}
