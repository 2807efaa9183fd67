//! The log: one file a day in the data folder, a week of them. Messages, drafts and file contents never enter it,
//! and what looks like a secret is redacted.

use std::path::Path;

use siltstone_app::CleanLog;
use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::{Builder, Rotation};
use tracing_subscriber::EnvFilter;

/// Days that are kept.
const DAYS: usize = 7;

/// Starts to log; the guard writes what is left when it is dropped.
pub(crate) fn start(data_dir: &Path) -> Option<WorkerGuard> {
    let folder = data_dir.join("logs");
    make_private(&folder).ok()?;
    let files = Builder::new()
        .rotation(Rotation::DAILY)
        .filename_prefix("siltstone")
        .filename_suffix("log")
        .max_log_files(DAYS)
        .build(folder)
        .ok()?;
    let (writer, guard) = tracing_appender::non_blocking(files);
    let filter =
        EnvFilter::try_from_env("SILTSTONE_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    // What servers say is in no log, however much is asked for; the library that speaks to them would trace it.
    let filter = match "rmcp=off".parse() {
        Ok(off) => filter.add_directive(off),
        Err(_) => filter,
    };
    let clean = move || CleanLog(writer.clone());
    tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(clean).init();
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // The place alone: a panic's message may quote what a person wrote.
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "panic");
        before(panic);
    }));
    Some(guard)
}

/// Makes a folder that only the person can look into; one that is there already is closed to others.
#[cfg(unix)]
fn make_private(folder: &Path) -> std::io::Result<()> {
    use std::fs::{DirBuilder, Permissions, set_permissions};
    use std::os::unix::fs::{DirBuilderExt, PermissionsExt};

    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    set_permissions(folder, Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
fn make_private(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)
}
