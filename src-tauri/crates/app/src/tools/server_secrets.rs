//! Secrets of MCP servers: kept where other keys are kept, handed to the server's program or sent to its address, and
//! shown nowhere. The database has their place and nothing else.
//!
//! A secret for an address belongs to the origin it was entered for, as a provider's key does; one for a program
//! belongs to the server, which has to be trusted again when its command changes.

use std::collections::BTreeMap;

use siltstone_contract::{Failure, McpItem, SetMcpSecret, Topic};
use siltstone_engine::keys::{Account, KeyShown, Place};
use siltstone_engine::secret::Secret;
use siltstone_engine::tool::mcp::{McpServer, McpTransport};

use crate::core::failure::{Outcome, bad_request};
use crate::tools::ToolService;

/// Longest secret, in bytes: Windows keeps no longer ones.
const MOST_BYTES: usize = 2_500;

impl ToolService {
    /// Keeps a secret of a server with the keys; an empty one is forgotten.
    pub async fn mcp_secret(&self, request: SetMcpSecret) -> Result<McpItem, Failure> {
        let server = self.known_server(&request.server)?;
        let variable = request.variable;
        if !names(&server).contains(&variable.as_str()) {
            return Err(bad_request("the server has no secret of this name"));
        }
        let account = account_of(&server, &variable);
        let is_header = matches!(server.transport, McpTransport::Http { .. });
        let value = if is_header { request.value.trim().to_owned() } else { request.value };
        if value.is_empty() {
            self.forget_secret(&account).await?;
        } else {
            let fits = value.len() <= MOST_BYTES
                && !value.contains('\0')
                && !(is_header && value.contains(|c: char| !c.is_ascii() || c.is_control()));
            if !fits {
                return Err(bad_request("a secret is text of at most 2500 bytes"));
            }
            let place = match request.place {
                Some(place) => place,
                None => self.models.key_state(()).await?.place.unwrap_or(Place::Session),
            };
            self.keep_secret(&account, place, Secret::new(value)).await?;
        }
        self.mcp.end(&server);
        self.core.changed([Topic::Tools]);
        self.mcp_item(server, None).await
    }

    /// Names of a server's secrets that are not kept yet.
    pub(super) fn missing_secrets(&self, server: &McpServer) -> Result<Vec<String>, Failure> {
        let mut missing = Vec::new();
        for name in names(server) {
            let account = account_of(server, name);
            let session = self.core.world.secrets.get(Place::Session, &account).or_failure()?;
            if session.is_none() && self.models.key_kept(&account)?.is_none() {
                missing.push(name.to_owned());
            }
        }
        Ok(missing)
    }

    /// The secrets of a server that are kept, by name.
    pub(super) async fn server_secrets(
        &self,
        server: &McpServer,
    ) -> Result<BTreeMap<String, Secret>, Failure> {
        let mut found = BTreeMap::new();
        for name in names(server) {
            let account = account_of(server, name);
            let kept = self.models.key_kept(&account)?.map(|kept| kept.place);
            let secret = self
                .models
                .with_secrets(move |secrets| match secrets.get(Place::Session, &account)? {
                    Some(secret) => Ok(Some(secret)),
                    None => kept.map_or(Ok(None), |place| secrets.get(place, &account)),
                })
                .await?;
            found.extend(secret.map(|secret| (name.to_owned(), secret)));
        }
        Ok(found)
    }

    /// Forgets the secrets of a server that the one in its place, if there is one, does not have.
    pub(super) async fn forget_unused_secrets(
        &self,
        server: &McpServer,
        now: Option<&McpServer>,
    ) -> Result<(), Failure> {
        let kept: Vec<Account> = now
            .map(|now| names(now).into_iter().map(|name| account_of(now, name)).collect())
            .unwrap_or_default();
        for name in names(server) {
            let account = account_of(server, name);
            if !kept.contains(&account) {
                self.forget_secret(&account).await?;
            }
        }
        Ok(())
    }

    /// Puts a secret where it is to be, and only then takes away the one before from where that was.
    async fn keep_secret(
        &self,
        account: &Account,
        place: Place,
        secret: Secret,
    ) -> Result<(), Failure> {
        let before = self.models.key_kept(account)?.map(|kept| kept.place);
        let of = account.clone();
        self.models
            .with_secrets(move |secrets| {
                secrets.put(place, &of, &secret)?;
                let others = [Some(Place::Session), before].into_iter().flatten();
                others
                    .filter(|other| *other != place)
                    .try_for_each(|other| secrets.remove(other, &of))
            })
            .await?;
        let records = self.core.stores()?.records;
        if place == Place::Session {
            return records.remove_key_shown(account).or_failure().map(|_| ());
        }
        let shown = KeyShown { place, last_four: String::new() };
        records.put_key_shown(account, &shown).or_failure()
    }

    async fn forget_secret(&self, account: &Account) -> Result<(), Failure> {
        let kept = self.models.key_kept(account)?;
        let of = account.clone();
        self.models
            .with_secrets(move |secrets| {
                secrets.remove(Place::Session, &of)?;
                kept.map_or(Ok(()), |kept| secrets.remove(kept.place, &of))
            })
            .await?;
        self.core.stores()?.records.remove_key_shown(account).or_failure()?;
        Ok(())
    }
}

/// Names of the secrets a server is given.
fn names(server: &McpServer) -> Vec<&str> {
    match &server.transport {
        McpTransport::Stdio { secret_env, .. } => secret_env.iter().map(String::as_str).collect(),
        McpTransport::Http { secret_header, .. } if secret_header.is_empty() => Vec::new(),
        McpTransport::Http { secret_header, .. } => vec![secret_header],
    }
}

fn account_of(server: &McpServer, name: &str) -> Account {
    let whose = server.project_id.map_or_else(|| "all".to_owned(), |id| id.to_string());
    let of = match &server.transport {
        McpTransport::Stdio { .. } => String::new(),
        McpTransport::Http { url, .. } => origin(url),
    };
    Account::from_text(format!("mcp {whose} {} {name} {of}", server.name))
}

/// Scheme, host and port of an address; all of it where these cannot be read.
fn origin(url: &str) -> String {
    let end = url.find("://").map_or(0, |at| at + 3);
    let rest = url[end..].find(['/', '?', '#', '\\']).map_or(url.len(), |at| end + at);
    url[..rest].to_ascii_lowercase()
}
