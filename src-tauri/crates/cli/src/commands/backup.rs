//! `silt backup`.

mod salvage;

use serde_json::json;
use siltstone_contract::{RestoreBackup, RunSalvage};
use siltstone_engine::Timestamp;
use siltstone_engine::backup::{Backup, BackupKind, BackupPlan, Holds};

use crate::args;
use crate::host::Host;
use crate::out::Stop;
use crate::words::Lang;

pub async fn run(host: &Host, command: args::Backup) -> Result<(), Stop> {
    match command {
        args::Backup::List => {
            let backups = host.app.backup_list(()).await?;
            if host.out.json {
                return host.out.value(&json!({"backups": backups}));
            }
            let now = Timestamp::now();
            backups.iter().try_for_each(|backup| host.out.line(&line(host, backup, now)))
        }
        args::Backup::Create => {
            let made = host.app.backup_create(()).await?;
            match host.out.json {
                true => host.out.value(&made),
                false => host.out.line(&made.name),
            }
        }
        args::Backup::Restore { name, yes: false } => {
            plan(host, &host.app.backup_plan(RestoreBackup { name }).await?)
        }
        args::Backup::Restore { name, yes: true } => {
            host.app.backup_restore(RestoreBackup { name: name.clone() }).await?;
            if host.out.json {
                return host.out.value(&json!({"restored": name}));
            }
            let lang = host.out.lang;
            host.out.note(lang.pick(
                "Restored. What was there before is the newest backup.",
                "되돌렸습니다. 그 전의 것은 가장 최근 백업에 있습니다.",
            ));
            Ok(())
        }
        args::Backup::Salvage { yes: false, .. } => {
            salvage::plan(host, &host.app.salvage_plan(()).await?)
        }
        args::Backup::Salvage { with, yes: true } => {
            salvage::done(host, &host.app.salvage_run(RunSalvage { backup: with }).await?)
        }
    }
}

fn plan(host: &Host, plan: &BackupPlan) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(plan);
    }
    let lang = host.out.lang;
    let present = plan.present.map_or_else(|| unreadable(lang), |held| holds(lang, held));
    let then = plan.backup.holds.map_or_else(|| unreadable(lang), |held| holds(lang, held));
    host.out.line(&lang.count("now:    {}", "지금: {}", present))?;
    host.out.line(&lang.count("backup: {}", "백업: {}", then))?;
    for going in &plan.going {
        let left = match going.then {
            Some(then) => format!("{} -> {then}", going.messages),
            None => {
                lang.count("{} message(s) would be gone", "메시지 {}개가 없어짐", going.messages)
            }
        };
        host.out.line(&format!("  {}  {left}", going.title))?;
    }
    let more = plan.going_count as usize - plan.going.len();
    if more > 0 {
        host.out.line(&lang.count("  and {} more", "  그 밖에 {}개", more))?;
    }
    host.out.note(lang.pick(
        "Nothing was changed. --yes restores it, after a backup of what is there now.",
        "아무것도 바꾸지 않았습니다. --yes를 주면 지금 것을 백업한 다음 되돌립니다.",
    ));
    Ok(())
}

fn line(host: &Host, backup: &Backup, now: Timestamp) -> String {
    let lang = host.out.lang;
    let kind = match backup.kind {
        BackupKind::Daily => lang.pick("daily", "매일").to_owned(),
        BackupKind::Asked => lang.pick("by you", "직접").to_owned(),
        BackupKind::Restore => lang.pick("before a restore", "되돌리기 전").to_owned(),
        BackupKind::Migration { from } => {
            lang.count("before an update, version {}", "업데이트 전, 버전 {}", from)
        }
    };
    let held = backup.holds.map_or_else(|| unreadable(lang), |held| holds(lang, held));
    let size = lang.size(backup.bytes);
    format!("{}  {}  {kind}  {size}  {held}", backup.name, lang.ago(backup.made_at, now))
}

fn holds(lang: Lang, held: Holds) -> String {
    let conversations = lang.count("{} conversation(s)", "대화 {}개", held.conversations);
    format!("{conversations}, {}", lang.count("{} message(s)", "메시지 {}개", held.messages))
}

fn unreadable(lang: Lang) -> String {
    lang.pick("cannot be read", "읽을 수 없음").to_owned()
}
