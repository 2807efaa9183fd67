//! Keys while the system's keyring is open, closed, absent or silent.

use std::sync::{Arc, Mutex};

use siltstone_contract::{
    ChooseModel, Code, DefaultModel, PreviewRequest, ProviderRef, ReachProject, SetKey, TestKey,
    UnlockVault,
};
use siltstone_engine::egress::Outbox;
use siltstone_engine::keys::{KeyShown, KeyringState, Place, VaultState};
use siltstone_engine::message::text_of;
use siltstone_engine::ports::{Access, Asked, ModelProvider, Providers};
use siltstone_engine::project::Trust;
use siltstone_engine::provider::{
    FoundServer, ModelInfo, ProviderError, ProviderKind, ProviderRecord,
};
use siltstone_engine::secret::Secret;
use siltstone_engine::settings::Network;

use crate::kept::Kept;
use crate::places;
use crate::scripted::{Scripted, Step};
use crate::world::{Journey, text};

const KEY: &str = "sk-ant-0123456789abcdef";

/// Remembers what each model was asked with.
#[derive(Clone)]
struct Watched {
    inner: Scripted,
    keys: Arc<Mutex<Vec<Option<String>>>>,
}

impl Watched {
    fn new() -> Self {
        let says = || vec![Step::Say("Answered."), Step::Finish];
        Self { inner: Scripted::new((0..8).map(|_| says())), keys: Arc::default() }
    }

    /// Keys that models were connected with since the last look.
    fn keys(&self) -> Vec<String> {
        std::mem::take(&mut *self.keys.lock().unwrap()).into_iter().flatten().collect()
    }
}

impl Providers for Watched {
    fn connect(
        &self,
        record: &ProviderRecord,
        access: Access,
    ) -> Result<Arc<dyn ModelProvider>, ProviderError> {
        self.keys.lock().unwrap().push(access.key.as_ref().map(|key| key.expose().to_owned()));
        if access.this_computer_only && record.base_url.contains("example") {
            return Err(ProviderError::NotLocal { url: record.base_url.clone() });
        }
        self.inner.connect(record, access)
    }

    fn discover(&self, outbox: Outbox) -> Asked<'_, Vec<FoundServer>> {
        self.inner.discover(outbox)
    }

    fn check_network(&self, network: &Network) -> Result<(), ProviderError> {
        self.inner.check_network(network)
    }
}

struct Keys {
    journey: Journey,
    models: Watched,
    kept: Arc<Kept>,
}

impl Keys {
    /// A hosted provider without a key, which is the default.
    async fn new(keyring: KeyringState) -> Self {
        let (models, kept) = (Watched::new(), Arc::<Kept>::default());
        kept.set_keyring(keyring);
        let journey = Journey::keeping(Arc::new(models.clone()), kept.clone());
        let story = Self { journey, models, kept };
        story.add("https://api.example/v1").await;
        let choice = DefaultModel { provider: "far".into(), model: "m".into() };
        story.journey.app.provider_default(choice).await.unwrap();
        story
    }

    async fn add(&self, base_url: &str) {
        let (name, base_url) = ("far".to_owned(), base_url.to_owned());
        let record = ProviderRecord { name, kind: ProviderKind::Anthropic, base_url };
        self.journey.app.provider_add(record).await.unwrap();
    }

    async fn set(&self, key: &str, place: Place) -> Result<KeyShown, Code> {
        let (provider, key) = ("far".to_owned(), Secret::new(key.to_owned()));
        let set = self.journey.app.key_set(SetKey { provider, key, place }).await;
        set.map_err(|failure| failure.code)
    }

    async fn shown(&self) -> Option<KeyShown> {
        let all = self.journey.app.provider_list(()).await.unwrap();
        all.into_iter().find(|provider| provider.name == "far").unwrap().key
    }

    /// Asks in a new conversation: the reply, or why there is none.
    async fn ask(&self) -> Result<String, String> {
        let id = self.journey.conversation(None).await;
        let reply = self.journey.ask(id, "Anyone there?").await;
        reply.fault.as_ref().map_or_else(|| Ok(text(&reply)), |fault| Err(fault.code.clone()))
    }
}

#[test]
fn places_in_memory_do_what_the_real_ones_do() {
    places::are_kept_apart_and_given_back(&Kept::default());
}

#[tokio::test]
async fn a_key_is_sent_with_each_request_and_shown_by_its_end() {
    let story = Keys::new(KeyringState::Unlocked).await;
    assert_eq!(story.ask().await, Err("key_missing".into()));
    let shown = KeyShown { place: Place::Keyring, last_four: "cdef".into() };
    assert_eq!(story.set(&format!(" {KEY}\n"), Place::Keyring).await, Ok(shown.clone()));
    assert_eq!(story.shown().await, Some(shown));
    story.models.keys();
    assert_eq!(story.ask().await, Ok("Answered.".into()));
    assert!(story.models.keys().iter().all(|key| key == KEY));

    // One for this session covers it, and uncovers it again.
    story.set("for-now-0123456789", Place::Session).await.unwrap();
    assert_eq!(story.shown().await.unwrap().place, Place::Session);
    story.ask().await.unwrap();
    assert!(story.models.keys().iter().all(|key| key == "for-now-0123456789"));
    story.set("replaced-0123456789", Place::Keyring).await.unwrap();
    story.ask().await.unwrap();
    assert!(story.models.keys().iter().all(|key| key == "replaced-0123456789"));

    // At another origin there is no key, and the old one is gone when the provider comes back.
    story.add("https://evil.example/v1").await;
    assert_eq!(story.ask().await, Err("key_missing".into()));
    story.add("https://api.example/v1").await;
    assert_eq!(story.ask().await, Err("key_missing".into()));
    assert_eq!(story.models.keys(), Vec::<String>::new());
}

#[tokio::test]
async fn everything_but_asking_works_while_the_keyring_is_closed_absent_or_silent() {
    for (state, code) in [
        (KeyringState::Locked, Code::KeyringLocked),
        (KeyringState::Absent, Code::KeyringAbsent),
        (KeyringState::Silent, Code::KeyringTimedOut),
    ] {
        let story = Keys::new(KeyringState::Unlocked).await;
        story.set(KEY, Place::Keyring).await.unwrap();
        story.kept.set_keyring(state);
        let app = &story.journey.app;
        assert_eq!(app.key_state(()).await.unwrap().place, None, "the person chooses");
        assert_eq!(story.shown().await.unwrap().last_four, "cdef");
        let id = story.journey.conversation(None).await;
        let choice = Some(DefaultModel { provider: "far".into(), model: "m".into() });
        app.conversation_model(ChooseModel { id, choice }).await.unwrap();
        let draft =
            PreviewRequest { conversation_id: id, draft: "Hi".into(), context: None, model: None };
        app.request_preview(draft).await.unwrap();

        assert_eq!(story.ask().await, Err(code.name()));
        assert_eq!(story.set("another-0123456789", Place::Keyring).await, Err(code));
        story.set(KEY, Place::Session).await.unwrap();
        assert_eq!(story.ask().await, Ok("Answered.".into()));

        // What the keyring has is there again when it opens.
        story.kept.set_keyring(KeyringState::Locked);
        let opened = app.keyring_unlock(()).await.unwrap();
        assert_eq!((opened.keyring, opened.place), (KeyringState::Unlocked, Some(Place::Keyring)));
        app.key_remove(ProviderRef { name: "far".into() }).await.unwrap();
        assert_eq!(story.shown().await, None);
        assert_eq!(story.ask().await, Err("key_missing".into()));
    }
}

#[tokio::test]
async fn without_a_keyring_keys_go_into_an_encrypted_file() {
    let story = Keys::new(KeyringState::Absent).await;
    let app = &story.journey.app;
    let passphrase = |text: &str| UnlockVault { passphrase: Secret::new(text.into()) };
    assert_eq!(story.set(KEY, Place::Vault).await, Err(Code::VaultLocked));
    let short = app.vault_unlock(passphrase("short")).await.unwrap_err();
    assert_eq!(short.code, Code::BadRequest);
    let made = app.vault_unlock(passphrase("열 글자를 넘는 암호")).await.unwrap();
    assert_eq!((made.vault, made.place), (VaultState::Unlocked, Some(Place::Vault)));
    let wrong = app.vault_unlock(passphrase("wrong")).await.unwrap_err();
    assert_eq!(wrong.code, Code::VaultWrongPassphrase);
    story.set(KEY, Place::Vault).await.unwrap();
    assert_eq!(story.ask().await, Ok("Answered.".into()));
    assert_eq!(app.vault_discard(()).await.unwrap().vault, VaultState::Absent);
    assert_eq!(story.shown().await, None);
    assert_eq!(story.ask().await, Err("key_missing".into()));
}

#[tokio::test]
async fn this_computer_only_is_told_to_every_connection() {
    let story = Keys::new(KeyringState::Unlocked).await;
    story.set(KEY, Place::Keyring).await.unwrap();
    let app = &story.journey.app;
    let mut settings = app.settings_get(()).await.unwrap();
    settings.this_computer_only = true;
    app.settings_set(settings).await.unwrap();
    assert_eq!(story.ask().await, Err("provider_not_local".into()));
    let models = app.provider_models(ProviderRef { name: "far".into() }).await.unwrap_err();
    assert_eq!(models.code, Code::ProviderNotLocal);
    let record = ProviderRecord {
        name: "farther".into(),
        kind: ProviderKind::Openai,
        base_url: "https://other.example/v1".into(),
    };
    assert_eq!(app.provider_add(record).await.unwrap_err().code, Code::ProviderNotLocal);
}

#[tokio::test]
async fn a_project_that_stays_on_this_computer_refuses_another_and_the_rest_does_not() {
    let story = Keys::new(KeyringState::Unlocked).await;
    story.set(KEY, Place::Keyring).await.unwrap();
    let app = &story.journey.app;
    let project = story.journey.open(Trust::Trusted).await;
    let stays = |this_computer_only| ReachProject { id: project, this_computer_only };
    assert!(app.project_reach(stays(true)).await.unwrap().this_computer_only);
    // Opening it again changes nothing unless it says so.
    story.journey.open(Trust::Trusted).await;
    let id = story.journey.conversation(Some(project)).await;
    let ask = async || {
        let reply = story.journey.ask(id, "Anyone there?").await;
        reply.fault.map_or_else(|| text_of(&reply.parts), |fault| fault.code)
    };
    assert_eq!(ask().await, "provider_not_local");
    let far = DefaultModel { provider: "far".into(), model: "m".into() };
    let choice = ChooseModel { id, choice: Some(far) };
    let refused = app.conversation_model(choice).await.unwrap_err();
    assert_eq!(refused.code, Code::ProviderNotLocal);
    let draft =
        PreviewRequest { conversation_id: id, draft: "Hi".into(), context: None, model: None };
    assert_eq!(app.request_preview(draft).await.unwrap_err().code, Code::ProviderNotLocal);
    assert_eq!(story.ask().await, Ok("Answered.".into()), "of no project");
    assert!(!app.project_reach(stays(false)).await.unwrap().this_computer_only);
    assert_eq!(ask().await, "Answered.");
}

#[tokio::test]
async fn a_key_is_tried_before_anything_is_kept() {
    let story = Keys::new(KeyringState::Locked).await;
    story.models.inner.offers.lock().unwrap().push(ModelInfo::named("m"));
    story.models.keys();
    let test = |base_url: &str, key: &str| TestKey {
        record: ProviderRecord {
            name: String::new(),
            kind: ProviderKind::Anthropic,
            base_url: base_url.into(),
        },
        key: Secret::new(key.into()),
    };
    let app = &story.journey.app;
    let listed = app.key_test(test(" https://other.example/v1/ ", &format!("{KEY}\n"))).await;
    assert_eq!(listed.unwrap(), [ModelInfo::named("m")]);
    assert_eq!(story.models.keys(), [KEY]);
    for (base_url, key) in [("https://other.example/v1", "two words"), ("nowhere", KEY)] {
        let refused = app.key_test(test(base_url, key)).await.unwrap_err();
        assert_eq!(refused.code, Code::BadRequest);
    }
    assert_eq!(app.provider_list(()).await.unwrap().len(), 2, "the offline one and the far one");
    assert_eq!(story.shown().await, None);
}
