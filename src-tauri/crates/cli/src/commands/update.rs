//! `silt update`: newer versions of the program.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use siltstone_app::Sink;
use siltstone_contract::{
    CancelUpdate, GetUpdate, InstallUpdate, UpdateEvent, UpdateLooked, UpdateState,
};
use siltstone_engine::update::{Installed, InstalledAs, Update};

use crate::args;
use crate::host::Host;
use crate::out::Stop;
use crate::words::Lang;

/// The only work of this process that can be cancelled.
const WORK: &str = "silt";

/// In how many steps a download is told.
const STEPS: u64 = 10;

pub async fn run(host: &Host, command: args::Update) -> Result<(), Stop> {
    match command {
        args::Update::Status => status(host, &host.app.update_status(()).await?),
        args::Update::Look => looked(host, &host.app.update_look(()).await?),
        args::Update::Get => get(host).await,
        args::Update::Install => install(host).await,
    }
}

fn status(host: &Host, state: &UpdateState) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(state);
    }
    let lang = host.out.lang;
    host.out.line(&format!("Siltstone {} · {}", state.version, kind(lang, state.installed_as)))?;
    let Some(feed) = &state.feed else {
        return host.out.line(lang.pick(
            "This copy names nobody who signs newer versions; get one where this copy came from.",
            "이 사본에는 새 버전에 서명할 곳이 적혀 있지 않습니다. 받은 곳에서 새 버전을 받아 주세요.",
        ));
    };
    host.out.line(&lang.count("asks, when you do: {}", "물으면 묻는 곳: {}", feed))?;
    match &state.update {
        Some(update) => shown(host, update, state.fetched),
        None => {
            host.out.note(lang.pick(
                "`silt update look` asks whether there is a newer version.",
                "`silt update look`으로 새 버전이 있는지 물어봅니다.",
            ));
            Ok(())
        }
    }
}

fn kind(lang: Lang, installed: InstalledAs) -> &'static str {
    match installed {
        InstalledAs::Deb => lang.pick("installed as a .deb", ".deb로 설치됨"),
        InstalledAs::Rpm => lang.pick("installed as an .rpm", ".rpm으로 설치됨"),
        InstalledAs::Appimage => lang.pick("an AppImage", "AppImage"),
        InstalledAs::ByHand => lang.pick("not installed as a package", "패키지로 설치되지 않음"),
    }
}

fn looked(host: &Host, looked: &UpdateLooked) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(looked);
    }
    let lang = host.out.lang;
    match &looked.state.update {
        Some(update) => shown(host, update, looked.state.fetched),
        None => {
            let offered = lang.count("offered: {}", "나온 버전: {}", &looked.offered);
            let running = lang.count("this is {}", "지금 버전: {}", &looked.state.version);
            let newest = lang.pick("Nothing newer", "새 버전이 없습니다");
            host.out.line(&format!("{newest} ({offered} · {running})"))
        }
    }
}

/// A newer version, with what would be, or was, downloaded.
fn shown(host: &Host, update: &Update, fetched: bool) -> Result<(), Stop> {
    let lang = host.out.lang;
    let day = update.published_at.map(|at| format!(" · {}", lang.moment(at))).unwrap_or_default();
    host.out.line(&format!("{} {}{day}", lang.pick("newer:", "새 버전:"), update.version))?;
    for line in update.notes.lines() {
        host.out.line(&format!("  {line}"))?;
    }
    let size = update.size.map_or_else(
        || lang.pick("of a size that is not said", "크기는 알 수 없음").to_owned(),
        |size| lang.size(size),
    );
    let what = match fetched {
        true => lang.pick("downloaded and verified:", "내려받아 확인함:"),
        false => lang.pick("would be downloaded:", "내려받게 될 것:"),
    };
    host.out.line(&format!("{what} {} ({size})", update.url))?;
    host.out.note(match fetched {
        true => lang.pick(
            "`silt update install` puts it in the program's place.",
            "`silt update install`로 설치합니다.",
        ),
        false => lang.pick(
            "Nothing of it was downloaded. `silt update get` does that.",
            "아직 내려받지 않았습니다. `silt update get`으로 내려받습니다.",
        ),
    });
    Ok(())
}

/// The version that was shown last; the app says what to do where there is none.
async fn version_shown(host: &Host) -> Result<String, Stop> {
    let state = host.app.update_status(()).await?;
    Ok(state.update.map(|update| update.version).unwrap_or_default())
}

async fn get(host: &Host) -> Result<(), Stop> {
    let request = GetUpdate { version: version_shown(host).await?, work_id: WORK.to_owned() };
    let state = {
        let mut work = std::pin::pin!(host.app.update_get(request, steps(host)));
        loop {
            tokio::select! {
                done = &mut work => break done?,
                heard = tokio::signal::ctrl_c() => if heard.is_ok() {
                    host.app.update_cancel(CancelUpdate { work_id: WORK.to_owned() }).await?;
                },
            }
        }
    };
    match (&state.update, host.out.json) {
        (Some(update), false) => shown(host, update, state.fetched),
        _ => host.out.value(&state),
    }
}

/// How far it has come, beside what is said.
fn steps(host: &Host) -> Sink<UpdateEvent> {
    let out = host.out.clone();
    let told = AtomicU64::new(0);
    Arc::new(move |event: UpdateEvent| {
        let Some(of) = event.of.filter(|of| *of > 0) else { return };
        let step = event.bytes.saturating_mul(STEPS) / of;
        if told.swap(step, Ordering::Relaxed) != step {
            out.note(&format!("{} / {}", out.lang.size(event.bytes), out.lang.size(of)));
        }
    })
}

async fn install(host: &Host) -> Result<(), Stop> {
    let version = version_shown(host).await?;
    let installed = host.app.update_install(InstallUpdate { version: version.clone() }).await?;
    if host.out.json {
        return host.out.value(&installed);
    }
    let lang = host.out.lang;
    match &installed {
        Installed::Done => host.out.line(&lang.count(
            "Version {} is installed. What runs is the earlier one until it is started again.",
            "{} 버전을 설치했습니다. 실행 중인 것은 다시 시작할 때까지 이전 버전입니다.",
            version,
        )),
        Installed::ByCommand { command } => {
            host.out.note(lang.pick(
                "Nothing here can ask for your password in a window. This installs it:",
                "암호를 물어볼 창을 띄울 수 없습니다. 다음 명령으로 설치합니다:",
            ));
            host.out.line(command)
        }
    }
}
