//! Keys: what is kept where, for whom, and what may be shown of it. A key goes in and never comes out again but to the
//! provider it belongs to.
//!
//! Looking at providers never waits for a keyring: what is shown of a key comes from the database. The key itself is
//! fetched when its provider is asked, and a place that is closed then fails with a code the person can act on.

use siltstone_contract::{
    Code, Failure, KeysState, ProviderRef, RecogniseKey, SetKey, TestKey, Topic, UnlockVault,
};
use siltstone_engine::ids::{ProjectId, TurnId};
use siltstone_engine::keys::{self, Account, KeyShown, KeyringState, Place, VaultState};
use siltstone_engine::ports::{Access, SecretError, SecretStore};
use siltstone_engine::provider::{ModelInfo, ProviderRecord};
use siltstone_engine::secret::Secret;

use crate::core::failure::{Outcome, bad_request, conflict};
use crate::core::{blocking, locked};
use crate::models::ModelService;
use crate::models::providers::trimmed;

/// Longest key, in bytes: Windows keeps no longer ones.
const MOST_BYTES: usize = 2_500;

/// Shortest passphrase of a new encrypted file, in characters.
const PASSPHRASE: usize = 8;

/// What the key that seals checkpoints is kept under in the memory of this process, and how its account begins where
/// it lasts: there every data folder has one of its own, for a person may have several.
pub(crate) const SEAL_KEY: &str = "checkpoint key";

impl ModelService {
    /// Where keys can go.
    pub async fn key_state(&self, (): ()) -> Result<KeysState, Failure> {
        self.with_secrets(|secrets| {
            let (keyring, vault) = (secrets.keyring(), secrets.vault());
            let place = match (keyring, vault) {
                (KeyringState::Unlocked, _) => Some(Place::Keyring),
                (_, VaultState::Unlocked) => Some(Place::Vault),
                _ => None,
            };
            Ok(KeysState { keyring, vault, place })
        })
        .await
    }

    /// The provider whose keys begin like this one.
    pub async fn key_recognise(
        &self,
        request: RecogniseKey,
    ) -> Result<Option<ProviderRecord>, Failure> {
        Ok(keys::recognise(&request.key))
    }

    /// Asks a provider with a key before either is stored: the models it lists.
    pub async fn key_test(&self, request: TestKey) -> Result<Vec<ModelInfo>, Failure> {
        let record = trimmed(request.record);
        account_of(&record)?;
        let access = self.access_without_key(&record, None, None)?;
        let access = Access { key: Some(well_formed(&request.key)?), ..access };
        let provider = self.core.world.providers.connect(&record, access).or_failure()?;
        provider.models().await.or_failure()
    }

    /// Keeps a provider's key at the place the person chose, instead of the earlier one.
    pub async fn key_set(&self, request: SetKey) -> Result<KeyShown, Failure> {
        let records = self.core.stores()?.records;
        let account = account_of(&self.record(&request.provider)?)?;
        let key = well_formed(&request.key)?;
        let shown = KeyShown::of(&key, request.place);
        let earlier = self.key_kept(&account)?;
        let (of, place) = (account.clone(), request.place);
        self.with_secrets(move |secrets| {
            secrets.put(place, &of, &key)?;
            // A key for this session alone covers the kept one and leaves it where it is.
            if place != Place::Session {
                secrets.remove(Place::Session, &of)?;
                if let Some(earlier) = earlier.filter(|earlier| earlier.place != place)
                    && let Err(error) = secrets.remove(earlier.place, &of)
                {
                    tracing::warn!(%error, "an earlier key stays where it was, unused");
                }
            }
            Ok(())
        })
        .await?;
        if place != Place::Session {
            records.put_key_shown(&account, &shown).or_failure()?;
        }
        locked(&self.told).clear();
        self.core.changed([Topic::Providers]);
        Ok(shown)
    }

    /// Forgets a provider's key, wherever it is kept.
    pub async fn key_remove(&self, request: ProviderRef) -> Result<(), Failure> {
        self.forget_key(&self.record(&request.name)?).await?;
        self.core.changed([Topic::Providers]);
        Ok(())
    }

    /// Lets the system ask the person to open its keyring.
    pub async fn keyring_unlock(&self, (): ()) -> Result<KeysState, Failure> {
        self.with_secrets(|secrets| secrets.unlock_keyring()).await?;
        self.core.keys_opened().await;
        self.core.changed([Topic::Providers]);
        self.key_state(()).await
    }

    /// Opens the encrypted file, or makes it.
    pub async fn vault_unlock(&self, request: UnlockVault) -> Result<KeysState, Failure> {
        let passphrase = request.passphrase;
        let short = passphrase.expose().chars().count() < PASSPHRASE;
        if short && self.with_secrets(|secrets| Ok(secrets.vault())).await? == VaultState::Absent {
            return Err(bad_request("a new passphrase needs at least eight characters"));
        }
        self.with_secrets(move |secrets| secrets.unlock_vault(&passphrase)).await?;
        self.core.keys_opened().await;
        self.core.changed([Topic::Providers]);
        self.key_state(()).await
    }

    /// Deletes the encrypted file with its keys.
    pub async fn vault_discard(&self, (): ()) -> Result<KeysState, Failure> {
        let records = self.core.stores()?.records;
        let seals = self.seal_key_kept()?;
        let is_open = self.with_secrets(|it| Ok(it.vault() == VaultState::Unlocked)).await?;
        // Who forgot the passphrase cannot open them any more either.
        if is_open
            && seals.is_some_and(|(_, place)| place == Place::Vault)
            && self.core.stores()?.sealing.recovery().or_failure()?.is_none()
        {
            return Err(conflict("the key of sealed checkpoints is in it; open them first"));
        }
        self.with_secrets(|secrets| secrets.discard_vault()).await?;
        for (account, shown) in records.keys_shown().or_failure()? {
            if shown.place == Place::Vault {
                records.remove_key_shown(&account).or_failure()?;
            }
        }
        self.core.changed([Topic::Providers]);
        self.key_state(()).await
    }

    /// What is shown of a provider's key; the one for this session first, because it is the one that is sent.
    pub(crate) fn key_shown(&self, record: &ProviderRecord) -> Result<Option<KeyShown>, Failure> {
        let Some(account) = Account::of(record) else { return Ok(None) };
        let session = self.core.world.secrets.get(Place::Session, &account).or_failure()?;
        match session {
            Some(key) => Ok(Some(KeyShown::of(&key, Place::Session))),
            None => self.key_kept(&account),
        }
    }

    /// With what, and how far, a provider may be asked: everybody's setting and the project's both hold.
    pub(crate) async fn access(
        &self,
        record: &ProviderRecord,
        project: Option<ProjectId>,
        turn: Option<TurnId>,
    ) -> Result<Access, Failure> {
        let mut access = self.access_without_key(record, project, turn)?;
        let (Some(account), Some(shown)) = (Account::of(record), self.key_shown(record)?) else {
            return if keys::needs_key(record) { Err(missing(record)) } else { Ok(access) };
        };
        let key = self.with_secrets(move |secrets| secrets.get(shown.place, &account)).await?;
        // Other programs can put into a keyring what is no key.
        access.key = key.and_then(|key| well_formed(&key).ok());
        match access.key {
            Some(_) => Ok(access),
            None => Err(missing(record)),
        }
    }

    /// The same for what asks nothing.
    pub(crate) fn access_without_key(
        &self,
        record: &ProviderRecord,
        project: Option<ProjectId>,
        turn: Option<TurnId>,
    ) -> Result<Access, Failure> {
        let records = self.core.stores()?.records;
        let settings = records.settings().or_failure()?;
        let project = project.map(|id| self.core.known_project(id)).transpose()?;
        let stays_here = project.is_some_and(|project| project.this_computer_only);
        Ok(Access {
            key: None,
            this_computer_only: settings.this_computer_only || stays_here,
            network: settings.network(),
            outbox: self.outbox(&record.name, turn)?,
        })
    }

    /// Forgets the key of a provider, and that there was one.
    pub(crate) async fn forget_key(&self, record: &ProviderRecord) -> Result<(), Failure> {
        let Some(account) = Account::of(record) else { return Ok(()) };
        let kept = self.key_kept(&account)?;
        let of = account.clone();
        self.with_secrets(move |secrets| {
            secrets.remove(Place::Session, &of)?;
            kept.map_or(Ok(()), |kept| secrets.remove(kept.place, &of))
        })
        .await?;
        self.core.stores()?.records.remove_key_shown(&account).or_failure()?;
        Ok(())
    }

    pub(crate) fn key_kept(&self, account: &Account) -> Result<Option<KeyShown>, Failure> {
        let all = self.core.stores()?.records.keys_shown().or_failure()?;
        Ok(all.into_iter().find(|(found, _)| found == account).map(|(_, shown)| shown))
    }

    pub(crate) async fn with_secrets<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn SecretStore) -> Result<T, SecretError> + Send + 'static,
    ) -> Result<T, Failure> {
        let secrets = self.core.world.secrets.clone();
        blocking(move || work(secrets.as_ref())).await?.or_failure()
    }

    /// What the key is kept under here, and where.
    pub(crate) fn seal_key_kept(&self) -> Result<Option<(Account, Place)>, Failure> {
        let all = self.core.stores()?.records.keys_shown().or_failure()?;
        // A provider's account ends with its origin.
        let is_ours =
            |of: &Account| of.as_str().starts_with(SEAL_KEY) && !of.as_str().contains("://");
        let ours = all.into_iter().find(|(account, _)| is_ours(account));
        Ok(ours.map(|(account, shown)| (account, shown.place)))
    }
}

fn account_of(record: &ProviderRecord) -> Result<Account, Failure> {
    Account::of(record).ok_or_else(|| bad_request("this provider has no address to send a key to"))
}

/// The key without what was pasted around it. It must fit a header: visible ASCII in one piece.
fn well_formed(key: &Secret) -> Result<Secret, Failure> {
    let trimmed = key.expose().trim();
    let fits = !trimmed.is_empty()
        && trimmed.len() <= MOST_BYTES
        && trimmed.bytes().all(|byte| byte.is_ascii_graphic());
    if fits {
        Ok(Secret::new(trimmed.to_owned()))
    } else {
        Err(bad_request("a key is one word of visible ASCII characters"))
    }
}

fn missing(record: &ProviderRecord) -> Failure {
    Failure::new(Code::KeyMissing, format!("no key for {}", record.name))
}
