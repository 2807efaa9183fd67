//! A newer version of the program: who may say that there is one, what of a feed is for this copy, and what a signature has
//! to say before a file may take the program's place.
//!
//! Nothing here asks anybody. The adapter behind [`Updates`] fetches, verifies and keeps; the app asks it only when the
//! person does. A feed is the JSON file of Tauri's updater, a signature and a key are minisign's, both in base64 as Tauri
//! has them. What a feed says is believed of nobody: the version and the name of the file have to stand in the trusted
//! comment, which is signed with the file, so that an old file with its good signature is not taken for a new one.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;

use jiff::Timestamp;
use semver::Version;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::{Host, Url};

use crate::ports::Access;
use crate::provider::ProviderError;

/// Most bytes of a feed.
pub const FEED_BYTES: u64 = 256 * 1024;

/// Most bytes of a package.
pub const PACKAGE_BYTES: u64 = 1 << 30;

/// Most characters of notes that are shown.
const NOTES: usize = 20_000;

/// Longest name of a package's file.
const NAME: usize = 128;

/// As what this copy was installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum InstalledAs {
    /// A package of Debian's kind.
    Deb,
    /// A package of Fedora's kind.
    Rpm,
    /// One file that is the program.
    Appimage,
    /// Built, or laid there, by hand: nothing knows how to replace it.
    ByHand,
}

impl InstalledAs {
    /// What Tauri calls it in the name of a platform, and how its file ends.
    fn names(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Deb => Some(("deb", ".deb")),
            Self::Rpm => Some(("rpm", ".rpm")),
            Self::Appimage => Some(("appimage", ".AppImage")),
            Self::ByHand => None,
        }
    }
}

/// Who signs updates of this copy, and where they are told of. It comes with the program and is no setting.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Signer {
    /// The address of the feed.
    pub feed: String,
    /// The public key, as Tauri has it: minisign's file in base64.
    pub key: String,
}

/// A newer version, as a person is shown it before anything of it is fetched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Update {
    /// Its version.
    pub version: String,
    /// What its makers say of it, as plain text.
    pub notes: String,
    /// When it came out, where the feed says so.
    pub published_at: Option<Timestamp>,
    /// The address of the package.
    pub url: String,
    /// The computer that would be asked for it.
    pub host: String,
    /// The name of the package's file.
    pub file: String,
    /// Its bytes, where the feed says so.
    pub size: Option<u64>,
}

/// A newer version with what proves it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// What it is.
    pub update: Update,
    /// The signature, as Tauri has it: minisign's file in base64.
    pub signature: String,
}

/// What a feed says to this copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The version that it offers, newer or not.
    pub version: String,
    /// Where that is newer: what it is.
    pub newer: Option<Offer>,
}

/// Why there is no update; the installed version stays in every case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UpdateError {
    /// Nobody was named when this copy was packed.
    #[error("this copy names nobody who signs updates")]
    Unnamed,
    /// It was named in a form that is none.
    #[error("what this copy says of who signs updates cannot be read: {detail}")]
    Misnamed {
        /// What is wrong.
        detail: String,
    },
    /// Nothing knows how to replace it.
    #[error("this copy was not installed as a package, so nothing can be put in its place")]
    ByHand,
    /// The gate let nothing through, or nothing came.
    #[error(transparent)]
    Gate(#[from] ProviderError),
    /// The server answered with something else.
    #[error("{url} was answered with status {status}")]
    Status {
        /// What was asked for.
        url: String,
        /// The HTTP status.
        status: u16,
    },
    /// The server sent us elsewhere.
    #[error("{from} leads on to {to}; only the address that was shown is asked")]
    Redirected {
        /// What was asked for.
        from: String,
        /// Where it leads.
        to: String,
    },
    /// The feed, or a package, is of no use.
    #[error("what was offered cannot be used: {detail}")]
    Unusable {
        /// What is wrong.
        detail: String,
    },
    /// The signature is not by the key of this copy, or of another file.
    #[error("the signature does not fit: {detail}")]
    Unsigned {
        /// What does not.
        detail: String,
    },
    /// The signature is good, and of another version or file than the one that is offered.
    #[error("{offered} was offered, but what was signed is {signed}")]
    Replayed {
        /// What the feed says.
        offered: String,
        /// What the signature says.
        signed: String,
    },
    /// Less came than was said.
    #[error("the download ended after {got} of {of} bytes")]
    Cut {
        /// Bytes that came.
        got: u64,
        /// Bytes that were said.
        of: u64,
    },
    /// No room for it.
    #[error("no room for the download: it needs {needed} bytes")]
    Full {
        /// Bytes that it needs.
        needed: u64,
    },
    /// Another process is at it.
    #[error("another process is downloading an update")]
    Busy,
    /// The system's own program for packages refused.
    #[error("the package was not installed: {detail}")]
    NotInstalled {
        /// What it said.
        detail: String,
    },
    /// The system said no in another way.
    #[error("{detail}")]
    Io {
        /// What it said.
        detail: String,
    },
}

/// What comes of fetching.
pub type Fetching<'a, T> = Pin<Box<dyn Future<Output = Result<T, UpdateError>> + Send + 'a>>;

/// Hears how many bytes there are, and of how many, where that is known.
pub type OnBytes<'a> = &'a (dyn Fn(u64, Option<u64>) + Send + Sync);

/// An offer that is kept, with its package once that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// What was offered.
    pub offer: Offer,
    /// Where its package is, verified when it came.
    pub package: Option<String>,
}

/// What came of putting a package in the program's place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum Installed {
    /// It is there: the next start is the new version.
    Done,
    /// The person has to run this, as the system has nothing that asks for a password in a window.
    ByCommand {
        /// The command, for a shell.
        command: String,
    },
}

/// What newer versions need of the world.
pub trait Updates: Send + Sync {
    /// As what this copy was installed; asks the system's own programs.
    fn installed_as(&self) -> InstalledAs;
    /// The name of this kind of computer, as feeds have it, such as `linux-x86_64`.
    fn computer(&self) -> String;
    /// Who signs updates of this copy.
    fn signer(&self) -> Result<Signer, UpdateError>;
    /// What was offered last, with its package if that is there.
    fn kept(&self) -> Result<Option<Kept>, UpdateError>;
    /// Keeps an offer, or none any more, and removes what is of no other: packages before it, and what a run that was killed
    /// left behind.
    fn keep(&self, offer: Option<&Offer>) -> Result<(), UpdateError>;
    /// Fetches the feed.
    fn feed<'a>(&'a self, signer: &'a Signer, access: Access) -> Fetching<'a, Vec<u8>>;
    /// Fetches the package of the kept offer, verifies it and keeps it. Dropped half-way it leaves nothing.
    fn fetch<'a>(
        &'a self,
        signer: &'a Signer,
        offer: &'a Offer,
        access: Access,
        told: OnBytes<'a>,
    ) -> Fetching<'a, ()>;
    /// Verifies a kept package once more and puts it in the program's place.
    fn install(
        &self,
        signer: &Signer,
        kept: &Kept,
        installed: InstalledAs,
    ) -> Result<Installed, UpdateError>;
}

#[derive(Deserialize)]
struct Feed {
    version: String,
    #[serde(default)]
    notes: Option<String>,
    #[serde(default)]
    pub_date: Option<String>,
    platforms: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
struct Platform {
    url: String,
    signature: String,
    /// An addition to Tauri's form, which reads over it.
    #[serde(default)]
    size: Option<u64>,
}

/// What a feed says to a copy of this version that was installed so.
pub fn told(
    feed: &[u8],
    running: &str,
    computer: &str,
    installed: InstalledAs,
) -> Result<Told, UpdateError> {
    let (kind, ending) = installed.names().ok_or(UpdateError::ByHand)?;
    let feed: Feed = serde_json::from_slice(feed)
        .map_err(|error| unusable(format!("the feed is not of Tauri's form: {error}")))?;
    let offered = version(&feed.version)?;
    let here = version(running)?;
    let told = |newer| Told { version: offered.to_string(), newer };
    if offered.cmp_precedence(&here).is_le() {
        return Ok(told(None));
    }
    let name = format!("{computer}-{kind}");
    let platform = feed.platforms.get(&name);
    let platform = platform.ok_or_else(|| unusable(format!("the feed has nothing for {name}")))?;
    let Platform { url, signature, size } = Platform::deserialize(platform)
        .map_err(|error| unusable(format!("the feed says nothing usable for {name}: {error}")))?;
    let (url, host) = address(&url)?;
    let file = file_of(&url, ending)?;
    if let Some(size) = size.filter(|size| !(1..=PACKAGE_BYTES).contains(size)) {
        return Err(unusable(format!("a package of {size} bytes")));
    }
    let published_at = feed.pub_date.and_then(|at| at.parse().ok());
    let notes = plain(feed.notes.as_deref().unwrap_or_default());
    let version = offered.to_string();
    let url = url.to_string();
    let update = Update { version, notes, published_at, url, host, file, size };
    Ok(told(Some(Offer { update, signature })))
}

/// Whether a version is newer than another one; what is no version is newer than none.
pub fn is_newer(version: &str, than: &str) -> bool {
    match (self::version(version), self::version(than)) {
        (Ok(one), Ok(other)) => one.cmp_precedence(&other).is_gt(),
        _ => false,
    }
}

/// Whether the trusted comment of a signature that fits is about this update: `version:0.2.0 file:Siltstone_0.2.0_amd64.deb`,
/// among whatever else it says.
pub fn vouches(comment: &str, update: &Update) -> Result<(), UpdateError> {
    let said = |name: &str| {
        let mut values = comment
            .split_whitespace()
            .filter_map(|word| word.strip_prefix(name)?.strip_prefix(':'));
        // One that says two things says nothing.
        values.next().filter(|_| values.next().is_none())
    };
    match (said("version"), said("file")) {
        (Some(version), Some(file)) if version == update.version && file == update.file => Ok(()),
        (version, file) => Err(UpdateError::Replayed {
            offered: format!("{} as {}", update.version, update.file),
            signed: format!("{} as {}", version.unwrap_or("no version"), file.unwrap_or("no file")),
        }),
    }
}

/// The address of a feed, if it may be asked.
pub fn feed_at(signer: &Signer) -> Result<String, UpdateError> {
    let misnamed = |error: UpdateError| UpdateError::Misnamed { detail: error.to_string() };
    address(&signer.feed).map(|(url, _)| url.to_string()).map_err(misnamed)
}

/// Where an answer sends us: that, or the words of it.
pub fn leads_to(from: &str, location: Option<&str>) -> UpdateError {
    let to = match (Url::parse(from), location) {
        (Ok(url), Some(location)) => {
            url.join(location).map_or_else(|_| location.to_owned(), |to| to.to_string())
        }
        (_, location) => location.unwrap_or("nowhere").to_owned(),
    };
    UpdateError::Redirected { from: from.to_owned(), to: plain(&to) }
}

fn version(text: &str) -> Result<Version, UpdateError> {
    let number = text.trim();
    let number = number.strip_prefix('v').unwrap_or(number);
    Version::parse(number).map_err(|error| unusable(format!("{text:?} is no version: {error}")))
}

/// An address with https, or of this computer, and the name of the computer it is at.
fn address(text: &str) -> Result<(Url, String), UpdateError> {
    let url = Url::parse(text).map_err(|error| unusable(format!("no address: {error}")))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(unusable("an address with a name or a password".to_owned()));
    }
    let home = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    };
    let host = url.host_str().unwrap_or_default().to_owned();
    match url.scheme() {
        "https" if !host.is_empty() => Ok((url, host)),
        "http" if home => Ok((url, host)),
        _ => Err(unusable(format!("{text:?} does not begin with https://"))),
    }
}

/// The name of a package's file: nothing that a shell, a folder or a program could take for something else.
fn file_of(url: &Url, ending: &str) -> Result<String, UpdateError> {
    let name = url.path_segments().and_then(|mut segments| segments.next_back());
    let name = name.unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '~');
    let begins = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if begins && name.len() <= NAME && name.ends_with(ending) && name.chars().all(plain) {
        Ok(name.to_owned())
    } else {
        Err(unusable(format!("{name:?} is no name of a file that ends with {ending}")))
    }
}

/// Text of others without what would steer a terminal or turn its reading around.
fn plain(text: &str) -> String {
    let steers = |c: &char| {
        (c.is_control() && *c != '\n')
            || matches!(*c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().filter(|c| !steers(c)).take(NOTES).collect::<String>().trim().to_owned()
}

fn unusable(detail: String) -> UpdateError {
    UpdateError::Unusable { detail }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    const COMPUTER: &str = "linux-x86_64";

    fn feed(version: &str, url: &str) -> Value {
        json!({
            "version": version,
            "notes": "Faster.\u{1b}[31m\nSafer.\u{202e}",
            "pub_date": "2026-11-20T08:00:00Z",
            "platforms": {
                "linux-x86_64-deb": {"url": url, "signature": "c2ln", "size": 7},
                "linux-x86_64-rpm": {"url": "broken"},
            },
        })
    }

    fn of(feed: &Value, running: &str, installed: InstalledAs) -> Result<Told, UpdateError> {
        told(feed.to_string().as_bytes(), running, COMPUTER, installed)
    }

    const URL: &str = "https://updates.example/0.2.0/Siltstone_0.2.0_amd64.deb";

    fn update() -> Update {
        of(&feed("0.2.0", URL), "0.1.0", InstalledAs::Deb).unwrap().newer.unwrap().update
    }

    #[test]
    fn what_is_newer_is_offered_with_all_that_is_shown_of_it() {
        let told = of(&feed("v0.2.0", URL), "0.1.0", InstalledAs::Deb).unwrap();
        assert_eq!(told.version, "0.2.0");
        let update = Update {
            version: "0.2.0".into(),
            notes: "Faster.[31m\nSafer.".into(),
            published_at: Some("2026-11-20T08:00:00Z".parse().unwrap()),
            url: URL.into(),
            host: "updates.example".into(),
            file: "Siltstone_0.2.0_amd64.deb".into(),
            size: Some(7),
        };
        assert_eq!(told.newer, Some(Offer { update, signature: "c2ln".into() }));
    }

    #[rstest]
    #[case("0.1.0", "0.1.0", false)]
    #[case("0.1.0+2", "0.1.0", false)]
    #[case("0.1.0-beta.1", "0.1.0", false)]
    #[case("0.0.99", "0.1.0", false)]
    #[case("0.1.1", "0.1.0", true)]
    #[case("0.10.0", "0.9.0", true)]
    #[case("0.1.0", "0.1.0-beta.1", true)]
    #[case("0.1.0-beta.10", "0.1.0-beta.9", true)]
    fn only_a_higher_version_is_newer(
        #[case] offered: &str,
        #[case] running: &str,
        #[case] newer: bool,
    ) {
        let told = of(&feed(offered, URL), running, InstalledAs::Deb).unwrap();
        assert_eq!(told.newer.is_some(), newer);
        assert_eq!(is_newer(offered, running), newer);
    }

    #[rstest]
    #[case("http://updates.example/Siltstone.deb")]
    #[case("ftp://updates.example/Siltstone.deb")]
    #[case("https://me:secret@updates.example/Siltstone.deb")]
    #[case("http://127.0.0.1.example/Siltstone.deb")]
    #[case("http://localhost.example/Siltstone.deb")]
    #[case("file:///Siltstone.deb")]
    #[case("Siltstone.deb")]
    #[case("https://updates.example/")]
    #[case("https://updates.example/Siltstone.rpm")]
    #[case("https://updates.example/.deb")]
    #[case("https://updates.example/-o.deb")]
    #[case("https://updates.example/a%2fb.deb")]
    #[case("https://updates.example/a;b.deb")]
    #[case("https://updates.example/a'b.deb")]
    #[case("https://updates.example/a%20b.deb")]
    fn an_address_that_is_no_place_for_a_package_is_refused(#[case] url: &str) {
        let refused = of(&feed("0.2.0", url), "0.1.0", InstalledAs::Deb);
        assert!(matches!(refused, Err(UpdateError::Unusable { .. })), "{refused:?}");
    }

    #[rstest]
    #[case("http://127.0.0.1:8080/Siltstone.deb", "127.0.0.1")]
    #[case("http://localhost:8080/x/Siltstone.deb", "localhost")]
    #[case("http://[::1]:8080/Siltstone.deb", "[::1]")]
    fn this_computer_may_be_asked_in_plain(#[case] url: &str, #[case] host: &str) {
        let told = of(&feed("0.2.0", url), "0.1.0", InstalledAs::Deb).unwrap();
        assert_eq!(told.newer.unwrap().update.host, host);
    }

    #[test]
    fn a_feed_that_is_none_for_this_copy_is_refused() {
        let whole = feed("0.2.0", URL);
        for kind in [InstalledAs::Rpm, InstalledAs::Appimage] {
            let refused = of(&whole, "0.1.0", kind);
            assert!(matches!(refused, Err(UpdateError::Unusable { .. })), "{refused:?}");
        }
        assert_eq!(of(&whole, "0.1.0", InstalledAs::ByHand), Err(UpdateError::ByHand));
        let mut large = whole.clone();
        large["platforms"]["linux-x86_64-deb"]["size"] = json!(PACKAGE_BYTES + 1);
        for odd in [json!([]), json!({}), json!({"version": "0.2.0"}), feed("newest", URL), large] {
            let refused = of(&odd, "0.1.0", InstalledAs::Deb);
            assert!(matches!(refused, Err(UpdateError::Unusable { .. })), "{refused:?}");
        }
        let refused = told(b"<html>", "0.1.0", COMPUTER, InstalledAs::Deb);
        assert!(matches!(refused, Err(UpdateError::Unusable { .. })), "{refused:?}");
    }

    #[rstest]
    #[case("version:0.2.0 file:Siltstone_0.2.0_amd64.deb", true)]
    #[case("timestamp:1\tfile:Siltstone_0.2.0_amd64.deb\tversion:0.2.0\thashed", true)]
    #[case("version:0.1.9 file:Siltstone_0.2.0_amd64.deb", false)]
    #[case("version:0.2.0 file:Siltstone_0.1.9_amd64.deb", false)]
    #[case("version:0.2.0", false)]
    #[case("timestamp:1\tfile:Siltstone_0.2.0_amd64.deb", false)]
    #[case("version:0.1.9 version:0.2.0 file:Siltstone_0.2.0_amd64.deb", false)]
    #[case("", false)]
    fn a_signature_has_to_say_what_is_offered(#[case] comment: &str, #[case] vouched: bool) {
        let said = vouches(comment, &update());
        assert_eq!(said.is_ok(), vouched, "{said:?}");
        assert!(vouched || matches!(said, Err(UpdateError::Replayed { .. })));
    }

    #[test]
    fn a_redirect_says_where_to() {
        for (location, to) in [
            (Some("https://other.example/x"), "https://other.example/x"),
            (Some("/y\u{7}z"), "https://updates.example/y%07z"),
            (None, "nowhere"),
        ] {
            let said = leads_to(URL, location).to_string();
            assert!(said.contains(&format!("leads on to {to};")), "{said}");
        }
    }

    #[test]
    fn a_feed_in_plain_is_none() {
        let signer = |feed: &str| Signer { feed: feed.into(), key: String::new() };
        assert!(feed_at(&signer("https://updates.example/feed.json")).is_ok());
        let refused = feed_at(&signer("http://updates.example/feed.json"));
        assert!(matches!(refused, Err(UpdateError::Misnamed { .. })), "{refused:?}");
    }
}
