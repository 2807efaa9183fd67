//! Starting: the surroundings the app is told about, and the ways a start can be refused.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use siltstone_app::{App, Options, SystemClock, World};
use siltstone_engine::checkpoint::EXTENSION;
use siltstone_providers::{Connections, Embeddings, shipped_models};
use siltstone_remotes::Buckets;
use siltstone_secrets::{Seals, Secrets};
use siltstone_storage::DataDir;
use siltstone_tools::{Beside, Programs, Servers, Shell, silt};
use siltstone_updates::{Packages, shipped};
use siltstone_vault::Agents;
use siltstone_workspace::{Folders, Snapshots};

/// Variable that WebKitGTK reads; without it a machine with no GPU shows a white window.
#[cfg(target_os = "linux")]
const NO_DMABUF: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";

/// The app over the real adapters.
pub(crate) fn app(data_dir: PathBuf, start_path: Option<String>) -> App {
    let folders = Arc::new(Folders::new());
    let connections = Arc::new(Connections::default());
    let world = World {
        data: Arc::new(DataDir::new(data_dir.clone(), Arc::new(Seals))),
        files: folders.clone(),
        memory: folders.clone(),
        skills: folders.clone(),
        sessions: folders.clone(),
        snapshots: Arc::new(Snapshots::new(data_dir.join("checkpoints").join("stamps"))),
        providers: connections.clone(),
        embedders: Arc::new(
            Embeddings::new(data_dir.join("models")).with_shipped(shipped_models()),
        ),
        secrets: Arc::new(Secrets::new(&data_dir)),
        sealer: Arc::new(Seals),
        remotes: Arc::new(Buckets::new(connections.clone())),
        foreign: folders.clone(),
        clients: folders.clone(),
        file_tools: folders,
        commands: Arc::new(Shell),
        mcp: Arc::new(Servers::new(connections.clone())),
        copies: Arc::new(Beside),
        workers: Arc::new(Programs::new().with_server(silt().as_deref(), &data_dir)),
        agents: Arc::new(Agents::of_system()),
        updates: Arc::new(Packages::new(connections, data_dir.join("updates"), shipped())),
        clock: Arc::new(SystemClock),
    };
    let options = Options {
        data_dir,
        system_language: system_language(),
        start_path,
        working_directory: None,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    App::start(world, options)
}

/// What this start named.
pub(crate) fn argument() -> Option<String> {
    std::env::args_os().nth(1).and_then(|path| place_at(&path, None))
}

/// The folder that an argument names, or the file of a checkpoint, as an absolute path; any other file stands for the folder
/// it is in. A path that is no Unicode is none: what could be said of it would be the path of another folder.
pub(crate) fn place_at(argument: impl AsRef<OsStr>, working_dir: Option<&Path>) -> Option<String> {
    let argument = argument.as_ref();
    if argument.is_empty() || argument.as_encoded_bytes().starts_with(b"-") {
        return None;
    }
    let path = match working_dir {
        Some(dir) => dir.join(argument),
        None => std::path::absolute(argument).ok()?,
    };
    let is_file = path.is_file();
    if is_file && is_checkpoint(&path) {
        return path.into_os_string().into_string().ok();
    }
    let folder = if is_file { path.parent()?.to_path_buf() } else { path };
    folder.is_dir().then(|| folder.into_os_string().into_string().ok())?
}

/// Whether a path is named as the file of a checkpoint is.
pub(crate) fn is_checkpoint(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == EXTENSION)
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn an_argument_is_a_folder_a_checkpoint_or_nothing() {
        let here = std::env::temp_dir().canonicalize().unwrap();
        let here = here.join(format!("siltstone-start-{}", std::process::id()));
        fs::create_dir(&here).unwrap();
        let odd = here.join(OsStr::from_bytes(b"caf\xE9"));
        // What its name would be taken for, were it read as text.
        let taken_for = here.join("caf\u{FFFD}");
        for folder in [&odd, &taken_for, &here.join("a\nb"), &here.join("--x"), &here.join("~")] {
            fs::create_dir(folder).unwrap();
        }
        fs::write(here.join("file"), "x").unwrap();
        let at = |argument: &[u8]| place_at(OsStr::from_bytes(argument), Some(&here));
        let named = |name: &str| Some(here.join(name).to_str().unwrap().to_owned());
        for argument in
            [&b""[..], b"-", b"--x", b"file:///etc", b"siltstone://open", b"gone", b"/dev/null/x"]
        {
            assert_eq!(at(argument), None, "{argument:?}");
        }
        assert_eq!(at(b"caf\xE9"), None, "it is not another folder");
        assert_eq!(place_at(".", Some(&odd)), None);
        assert_eq!(at(b"a\nb"), named("a\nb"));
        assert_eq!(at(b"~"), named("~"), "it is not the home");
        assert_eq!(at(b"./--x"), named("./--x"));
        assert_eq!(at(b"file"), Some(here.to_str().unwrap().to_owned()));
        fs::write(here.join("a.siltstone-checkpoint"), "x").unwrap();
        assert_eq!(at(b"a.siltstone-checkpoint"), named("a.siltstone-checkpoint"));
        assert_eq!(at(b"gone.siltstone-checkpoint"), None);
        fs::remove_dir_all(&here).unwrap();
    }
}
