//! What a server, a network or a thief of a feed can do: in every case the installed version stays, and why is said.

use rstest::rstest;
use siltstone_engine::update::{FEED_BYTES, Installed, InstalledAs, UpdateError, Updates};
use siltstone_providers::Connections;
use siltstone_test_servers::packages::{Answer, FEED, Maker};
use siltstone_test_servers::until::until;

use super::{Copy, FILE, OLD, new_program};

const COMMENT: &str = "version:0.2.0 file:Siltstone_0.2.0_amd64.AppImage";

fn package() -> String {
    format!("/{FILE}")
}

/// A good offer of version 0.2.0, which a case then spoils.
fn maker() -> Maker {
    let maker = Maker::start().unwrap();
    maker.publish("0.2.0", "appimage", FILE, &new_program()).unwrap();
    maker
}

#[tokio::test]
async fn a_newer_version_is_fetched_verified_and_put_in_place() {
    let maker = maker();
    let copy = Copy::of(&maker);
    let told = copy.look().await.unwrap();
    assert_eq!(told.version, "0.2.0");
    assert_eq!(maker.asked(), [FEED], "nothing of it was fetched");
    assert_eq!(copy.files(), ["offer.json"]);
    copy.get().await.unwrap();
    assert_eq!(copy.files(), [FILE, "offer.json"]);
    assert_eq!(copy.program(), OLD);
    assert_eq!(copy.install(), Ok(Installed::Done));
    assert_eq!(copy.program(), new_program());
    assert_eq!(std::fs::read(copy.dir.path().join("Siltstone.AppImage.previous")).unwrap(), OLD);
    // Both requests are written down, also where they stay on this computer.
    let left = copy.log.left();
    let urls: Vec<_> = left.iter().map(|(sent, _)| sent.url.clone()).collect();
    assert_eq!(urls, [format!("{}{FEED}", maker.address()), format!("{}/{FILE}", maker.address())]);
    assert!(left.iter().all(|(sent, answer)| sent.method == "GET"
        && sent.body.is_empty()
        && answer.as_deref() == Some("200")));
    assert_eq!(maker.asked(), [FEED, &package()]);
}

/// Who spoils an offer, and what is said.
type Spoil = fn(&Maker);

fn signed(maker: &Maker, by: &Maker, comment: &str, of: &[u8]) {
    let signature = by.sign(of, comment).unwrap();
    maker.offer("0.2.0", "appimage", FILE, &signature, None);
}

fn by_another_key(maker: &Maker) {
    signed(maker, &Maker::start().unwrap(), COMMENT, &new_program());
}

fn with_a_changed_byte(maker: &Maker) {
    let mut bytes = new_program();
    bytes[123_456] ^= 1;
    maker.put(&package(), Answer::Whole(bytes));
}

/// The text of a signature with other words in its trusted comment.
fn forged(maker: &Maker) {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    let old = maker.sign(&new_program(), &COMMENT.replace("0.2.0", "0.1.9")).unwrap();
    let text = String::from_utf8(STANDARD.decode(old).unwrap()).unwrap();
    let forged = STANDARD.encode(text.replace("0.1.9", "0.2.0"));
    maker.offer("0.2.0", "appimage", FILE, &forged, None);
}

fn no_signature(maker: &Maker) {
    maker.offer("0.2.0", "appimage", FILE, "bm9uZQ==", None);
}

/// An older package with its good signature, offered as the newer one.
fn replayed(maker: &Maker) {
    let older = b"the program as it was before";
    let comment = "version:0.0.9 file:Siltstone_0.0.9_amd64.AppImage";
    signed(maker, maker, comment, older);
    maker.put(&package(), Answer::Whole(older.to_vec()));
}

/// The same under its own name.
fn replayed_under_its_name(maker: &Maker) {
    let (older, file) = (b"the program as it was before", "Siltstone_0.0.9_amd64.AppImage");
    let signature = maker.sign(older, &format!("version:0.0.9 file:{file}")).unwrap();
    maker.put(&format!("/{file}"), Answer::Whole(older.to_vec()));
    maker.offer("0.2.0", "appimage", file, &signature, None);
}

fn says_no_version(maker: &Maker) {
    signed(maker, maker, &format!("timestamp:1\tfile:{FILE}"), &new_program());
}

fn cut(maker: &Maker) {
    let bytes = new_program();
    maker.put(&package(), Answer::Cut(bytes[..700_000].to_vec(), bytes.len()));
}

fn cut_unsaid(maker: &Maker) {
    maker.put(&package(), Answer::Unsaid(new_program()[..700_000].to_vec()));
}

fn longer_than_said(maker: &Maker) {
    let mut bytes = new_program();
    bytes.push(0);
    maker.put(&package(), Answer::Unsaid(bytes));
}

fn of_another_size(maker: &Maker) {
    maker.put(&package(), Answer::Whole(new_program()[1..].to_vec()));
}

fn elsewhere(maker: &Maker) {
    maker.put(&package(), Answer::Elsewhere(format!("https://other.example/{FILE}")));
}

fn to_plain_http(maker: &Maker) {
    maker.put(&package(), Answer::Elsewhere(format!("http://updates.example/{FILE}")));
}

fn along_the_same_server(maker: &Maker) {
    maker.put("/moved.AppImage", Answer::Whole(new_program()));
    maker.put(&package(), Answer::Elsewhere("/moved.AppImage".to_owned()));
}

fn gone(maker: &Maker) {
    maker.put(&package(), Answer::Status(410));
}

fn feed_elsewhere(maker: &Maker) {
    maker.put(FEED, Answer::Elsewhere("https://other.example/updates.json".to_owned()));
}

fn feed_of_no_form(maker: &Maker) {
    maker.put(FEED, Answer::Whole(b"<html>Welcome</html>".to_vec()));
}

fn feed_too_large(maker: &Maker) {
    let most = usize::try_from(FEED_BYTES).unwrap();
    maker.put(FEED, Answer::Unsaid(vec![b' '; most + 1]));
}

fn feed_cut(maker: &Maker) {
    maker.put(FEED, Answer::Cut(b"{".to_vec(), 1_000));
}

fn feed_of_another_kind(maker: &Maker) {
    maker.publish("0.2.0", "deb", "Siltstone_0.2.0_amd64.deb", b"x").unwrap();
}

fn in_plain_from_elsewhere(maker: &Maker) {
    let url = format!("http://updates.example/{FILE}");
    maker.offer_at(&url, "0.2.0", "appimage", "bm9uZQ==", None);
}

#[rstest]
#[case::by_another_key(by_another_key, "by another key")]
#[case::with_a_changed_byte(with_a_changed_byte, "changed after it was signed")]
#[case::forged(forged, "changed after it was signed")]
#[case::no_signature(no_signature, "the signature does not fit")]
#[case::replayed(replayed, "what was signed is 0.0.9 as Siltstone_0.0.9_amd64.AppImage")]
#[case::replayed_under_its_name(replayed_under_its_name, "what was signed is 0.0.9")]
#[case::says_no_version(says_no_version, "what was signed is no version")]
#[case::cut(cut, "ended after 700000 of 1200000 bytes")]
#[case::cut_unsaid(cut_unsaid, "ended after 700000 of 1200000 bytes")]
#[case::longer_than_said(longer_than_said, "more than 1200000 bytes came")]
#[case::of_another_size(of_another_size, "a package of 1199999 bytes")]
#[case::elsewhere(elsewhere, "leads on to https://other.example/")]
#[case::to_plain_http(to_plain_http, "leads on to http://updates.example/")]
#[case::along_the_same_server(
    along_the_same_server,
    "/moved.AppImage; only the address that was shown"
)]
#[case::gone(gone, "status 410")]
#[case::feed_elsewhere(feed_elsewhere, "leads on to https://other.example/updates.json")]
#[case::feed_of_no_form(feed_of_no_form, "not of Tauri's form")]
#[case::feed_too_large(feed_too_large, "more than 262144 bytes")]
#[case::feed_cut(feed_cut, "ended after 1 of 1000 bytes")]
#[case::feed_of_another_kind(feed_of_another_kind, "the feed has nothing for")]
#[case::in_plain_from_elsewhere(in_plain_from_elsewhere, "does not begin with https://")]
#[tokio::test]
async fn the_installed_version_stays_and_why_is_said(#[case] spoil: Spoil, #[case] why: &str) {
    let maker = maker();
    spoil(&maker);
    let copy = Copy::of(&maker);
    let said = copy.update().await.unwrap_err().to_string();
    assert!(said.contains(why), "{said}");
    assert_eq!(copy.program(), OLD);
    assert!(copy.files().iter().all(|name| name == "offer.json"), "{:?}", copy.files());
    let elsewhere = maker.asked().iter().any(|path| path == "/moved.AppImage");
    assert!(!elsewhere, "a redirect was followed");

    // The same maker without the fault.
    maker.publish("0.2.0", "appimage", FILE, &new_program()).unwrap();
    assert_eq!(copy.update().await, Ok(Installed::Done));
    assert_eq!(copy.program(), new_program());
}

#[rstest]
#[case("0.0.9")]
#[case("0.1.0")]
#[tokio::test]
async fn what_is_not_newer_is_not_offered(#[case] version: &str) {
    let maker = Maker::start().unwrap();
    let file = format!("Siltstone_{version}_amd64.AppImage");
    maker.publish(version, "appimage", &file, b"not newer").unwrap();
    let copy = Copy::of(&maker);
    let told = copy.look().await.unwrap();
    assert_eq!((told.version.as_str(), told.newer), (version, None));
    assert_eq!(copy.packages.kept(), Ok(None));
    assert_eq!(maker.asked(), [FEED]);
    assert_eq!(copy.program(), OLD);
}

#[tokio::test]
async fn what_was_fetched_and_changed_on_the_disk_is_not_installed() {
    let maker = maker();
    let copy = Copy::of(&maker);
    copy.look().await.unwrap();
    copy.get().await.unwrap();
    let package = copy.dir.path().join("updates").join(FILE);
    let mut bytes = std::fs::read(&package).unwrap();
    bytes[7] ^= 1;
    std::fs::write(&package, bytes).unwrap();
    assert!(matches!(copy.install(), Err(UpdateError::Unsigned { .. })));
    assert_eq!(copy.program(), OLD);
}

#[tokio::test]
async fn another_offer_takes_the_package_before_it_away() {
    let maker = maker();
    let copy = Copy::of(&maker);
    copy.look().await.unwrap();
    copy.get().await.unwrap();
    copy.look().await.unwrap();
    assert_eq!(copy.files(), [FILE, "offer.json"], "the same offer keeps it");
    // The same name with another signature is another package.
    maker.publish("0.2.0", "appimage", FILE, b"made anew").unwrap();
    copy.look().await.unwrap();
    assert_eq!(copy.files(), ["offer.json"]);
    copy.get().await.unwrap();
    assert_eq!(copy.install(), Ok(Installed::Done));
    assert_eq!(copy.program(), b"made anew");
    copy.packages.keep(None).unwrap();
    assert_eq!(copy.files(), Vec::<String>::new());
}

#[tokio::test]
async fn a_download_that_is_dropped_leaves_nothing_and_the_next_one_works() {
    let maker = maker();
    let bytes = new_program();
    maker.put(&package(), Answer::Trickle(bytes[..500_000].to_vec(), bytes.len()));
    let copy = Copy::of(&maker);
    copy.look().await.unwrap();
    let part = copy.dir.path().join("updates").join(format!("{FILE}.part"));
    let begun = until("a part of the package", async || {
        std::fs::metadata(&part).is_ok_and(|it| it.len() == 500_000)
    });
    tokio::select! {
        got = copy.get() => panic!("{got:?}"),
        () = begun => {}
    }
    assert_eq!(copy.files(), ["offer.json"]);
    maker.put(&package(), Answer::Whole(bytes));
    copy.get().await.unwrap();
    assert_eq!(copy.install(), Ok(Installed::Done));
}

#[tokio::test]
async fn one_at_a_time_downloads() {
    let maker = maker();
    let bytes = new_program();
    maker.put(&package(), Answer::Trickle(bytes[..500_000].to_vec(), bytes.len()));
    let copy = Copy::of(&maker);
    copy.look().await.unwrap();
    let part = copy.dir.path().join("updates").join(format!("{FILE}.part"));
    let second = async {
        until("a part of the package", async || part.exists()).await;
        // Another look reads, and takes nothing away that somebody writes.
        let looked = copy.look().await.map(|told| told.version);
        (looked, part.exists(), copy.get().await)
    };
    let (looked, there, refused) = tokio::select! {
        got = copy.get() => panic!("{got:?}"),
        second = second => second,
    };
    assert_eq!((looked, there), (Err(UpdateError::Busy), true));
    assert_eq!(refused, Err(UpdateError::Busy));
}

#[tokio::test]
async fn only_this_computer_asked_means_that_nothing_leaves() {
    let maker = Maker::start().unwrap();
    let copy = Copy::placed(InstalledAs::Appimage, None);
    let key = maker.key().unwrap();
    let named = format!(r#"{{"feed": "https://updates.example/updates.json", "key": "{key}"}}"#);
    std::fs::write(copy.named(), named).unwrap();
    let signer = copy.packages.signer().unwrap();
    let mut access = copy.access();
    access.this_computer_only = true;
    let refused = copy.packages.feed(&signer, access).await.unwrap_err();
    assert!(matches!(&refused, UpdateError::Gate(error) if error.code() == "provider_not_local"));
    assert!(copy.log.left().is_empty());
}

#[tokio::test]
async fn what_cannot_be_written_down_does_not_leave() {
    let maker = maker();
    let copy = Copy::of(&maker);
    copy.log.fill();
    let refused = copy.look().await.unwrap_err();
    assert!(matches!(&refused, UpdateError::Gate(error) if error.code() == "not_recorded"));
    assert!(maker.asked().is_empty());
}

#[test]
fn a_copy_that_names_nobody_has_no_updates() {
    let copy = Copy::placed(InstalledAs::Appimage, None);
    assert_eq!(copy.packages.signer(), Err(UpdateError::Unnamed));
    let nobody = siltstone_updates::Packages::new(
        std::sync::Arc::new(Connections::new()),
        copy.dir.path().join("updates"),
        None,
    );
    assert_eq!(nobody.signer(), Err(UpdateError::Unnamed));
    assert_eq!(nobody.kept(), Ok(None));
    nobody.keep(None).unwrap();
    assert!(!copy.dir.path().join("updates").exists(), "nothing is made for it");
    let key = Maker::start().unwrap().key().unwrap();
    for said in [
        "{}".to_owned(),
        "no json".to_owned(),
        r#"{"feed": "https://updates.example/", "key": "bm9uZQ=="}"#.to_owned(),
        format!(r#"{{"feed": "http://updates.example/", "key": "{key}"}}"#),
        format!(r#"{{"feed": "updates.example", "key": "{key}"}}"#),
        "x".repeat(100_000),
    ] {
        std::fs::write(copy.named(), &said).unwrap();
        let refused = copy.packages.signer();
        assert!(matches!(refused, Err(UpdateError::Misnamed { .. })), "{said:.60}: {refused:?}");
    }
}
