//! Starting: the surroundings the app is told about, and the ways a start can be refused.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use siltstone_app::{App, Options, SystemClock, World};
use siltstone_providers::{Connections, Embeddings};
use siltstone_remotes::Buckets;
use siltstone_secrets::{Seals, Secrets};
use siltstone_storage::DataDir;
use siltstone_tools::{Servers, Shell};
use siltstone_workspace::{Folders, Snapshots};

/// Variable that WebKitGTK reads; without it a machine with no GPU shows a white window.
const NO_DMABUF: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";

/// The app over the real adapters.
pub(crate) fn app(data_dir: PathBuf) -> App {
    let folders = Arc::new(Folders::new());
    let connections = Arc::new(Connections::default());
    let world = World {
        data: Arc::new(DataDir::new(data_dir.clone(), Arc::new(Seals))),
        files: folders.clone(),
        memory: folders.clone(),
        sessions: folders.clone(),
        snapshots: Arc::new(Snapshots::new(data_dir.join("checkpoints").join("stamps"))),
        providers: connections.clone(),
        embedders: Arc::new(Embeddings::new(data_dir.join("models"))),
        secrets: Arc::new(Secrets::new(&data_dir)),
        sealer: Arc::new(Seals),
        remotes: Arc::new(Buckets::new(connections.clone())),
        foreign: folders.clone(),
        file_tools: folders,
        commands: Arc::new(Shell),
        mcp: Arc::new(Servers::new(connections)),
        clock: Arc::new(SystemClock),
    };
    let options = Options {
        data_dir,
        system_language: system_language(),
        start_path: std::env::args().nth(1).and_then(|path| folder_at(&path, None)),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    App::start(world, options)
}

/// The folder an argument names, as an absolute path; a file stands for the folder it is in.
pub(crate) fn folder_at(argument: &str, working_dir: Option<&Path>) -> Option<String> {
    if argument.is_empty() || argument.starts_with('-') {
        return None;
    }
    let path = match working_dir {
        Some(dir) => dir.join(argument),
        None => std::path::absolute(argument).ok()?,
    };
    let folder = if path.is_file() { path.parent()?.to_path_buf() } else { path };
    folder.is_dir().then(|| folder.display().to_string())
}

fn system_language() -> String {
    let korean = sys_locale::get_locale().is_some_and(|locale| locale.starts_with("ko"));
    String::from(if korean { "ko" } else { "en" })
}

/// On Linux without a GPU, starts the program again with the renderer that needs none, unless the person chose.
#[cfg(target_os = "linux")]
pub(crate) fn again_without_gpu() -> Option<ExitCode> {
    use std::os::unix::process::CommandExt;

    let has_gpu = std::fs::read_dir("/dev/dri").is_ok_and(|entries| {
        entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("renderD"))
    });
    if has_gpu || std::env::var_os(NO_DMABUF).is_some() {
        return None;
    }
    let program = std::env::current_exe().ok()?;
    let error = std::process::Command::new(program)
        .args(std::env::args_os().skip(1))
        .env(NO_DMABUF, "1")
        .exec();
    Some(refuse(&format!("Siltstone could not start again without a GPU: {error}")))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn again_without_gpu() -> Option<ExitCode> {
    None
}

/// Says why there is no window.
pub(crate) fn refuse(why: &str) -> ExitCode {
    // Nothing is left to do when standard error is gone too.
    let _ = writeln!(std::io::stderr(), "{why}");
    ExitCode::FAILURE
}
