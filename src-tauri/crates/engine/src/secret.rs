//! A secret in memory: shown nowhere by accident, wiped when it is dropped.
//!
//! Keys travel in it from the place that keeps them to the header that carries them. It deliberately has no `Display`,
//! `Serialize` or comparison, and its `Debug` says nothing.

use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

/// Text that must not leak, such as a key.
#[derive(Clone, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "string"))]
#[serde(from = "String")]
pub struct Secret(SecretString);

impl Secret {
    /// Takes the text over; each copy is wiped when it is dropped.
    pub fn new(text: String) -> Self {
        Self(SecretString::from(text))
    }

    /// The text itself. Look here to find everywhere a secret is used.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_shown() {
        let secret = Secret::new("sk-canary".to_owned());
        assert_eq!(secret.expose(), "sk-canary");
        assert!(!format!("{secret:?} {:#?}", Some(&secret)).contains("canary"));
    }
}
