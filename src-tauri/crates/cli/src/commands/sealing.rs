//! `silt checkpoint seal`, `unseal`, `unlock`, `recover` and `recovery`.

use std::sync::Arc;

use siltstone_app::Sink;
use siltstone_contract::{
    CheckpointSealing, SealCheckpoints, SealEvent, SetRecovery, UnlockCheckpoints,
};

use crate::args::Sealing;
use crate::host::Host;
use crate::input;
use crate::out::Stop;

pub async fn run(host: &Host, command: Sealing) -> Result<(), Stop> {
    match command {
        Sealing::Seal { keep } => {
            let place = keep.map(Into::into);
            let request = SealCheckpoints { place };
            said(host, &host.app.checkpoint_seal(request, steps(host)).await?)
        }
        Sealing::Unseal => said(host, &host.app.checkpoint_unseal((), steps(host)).await?),
        Sealing::Unlock => {
            let request = UnlockCheckpoints { passphrase: None };
            said(host, &host.app.checkpoint_unlock(request).await?)
        }
        Sealing::Recover { file } => {
            let request = UnlockCheckpoints { passphrase: Some(input::secret(&file)?) };
            said(host, &host.app.checkpoint_unlock(request).await?)
        }
        Sealing::Recovery { file } => {
            let passphrase = file.as_deref().map(input::secret).transpose()?;
            let shown = host.app.checkpoint_recovery_set(SetRecovery { passphrase }).await?;
            if host.out.json { host.out.value(&shown) } else { host.out.line(&shown.passphrase) }
        }
    }
}

/// How far it has come, beside what is said.
fn steps(host: &Host) -> Sink<SealEvent> {
    let out = host.out.clone();
    Arc::new(move |event: SealEvent| {
        out.note(&format!("{} / {}", out.lang.size(event.done), out.lang.size(event.total)))
    })
}

fn said(host: &Host, state: &CheckpointSealing) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(state);
    }
    let lang = host.out.lang;
    host.out.line(match (state.on, state.locked) {
        (_, true) => lang.pick("sealed; the key is not at hand", "봉인됨, 열쇠 없음"),
        (true, false) => lang.pick("sealed", "봉인됨"),
        (false, false) => lang.pick("not sealed", "봉인하지 않음"),
    })?;
    if state.on && !state.recovery {
        host.out.line(lang.pick(
            "no recovery passphrase yet: silt checkpoint recovery",
            "아직 복구 암호가 없습니다: silt checkpoint recovery",
        ))?;
    }
    Ok(())
}
