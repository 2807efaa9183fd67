//! The rows of the table that need a desktop: dialogs, dropped files, links, notifications.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use siltstone_app::App;
use siltstone_contract::{
    Attached, Code, ConversationRef, DropFiles, ExportCheckpoint, ExportConversation, Failure,
    FileImported, ImportCheckpoint, ImportedCheckpoint, Notify, OpenLink, SavedFile,
};
use siltstone_engine::attachment::MAX_BYTES;
use siltstone_engine::checkpoint::{EXTENSION, MAX_PACKED};
use siltstone_engine::ids::ConversationId;
use siltstone_storage::{is_shared, write_whole};
use tauri::{AppHandle, Manager};
use tauri_plugin_dialog::{DialogExt, FilePath};
use tauri_plugin_notification::NotificationExt;
use url::Url;

use crate::MAIN;
use crate::dropped::Dropped;

/// The desktop around the app.
#[derive(Clone)]
pub(crate) struct Host {
    pub(crate) handle: AppHandle,
    pub(crate) app: App,
}

impl Host {
    /// Asks for a folder with the system's dialog.
    pub(crate) async fn pick_folder(&self, (): ()) -> Result<Option<String>, Failure> {
        let dialog = self.handle.dialog().file();
        name_of(answer_of(move |done| dialog.pick_folder(done)).await?)
    }

    /// Asks for a file of certificates with the system's dialog.
    pub(crate) async fn pick_certificates(&self, (): ()) -> Result<Option<String>, Failure> {
        let dialog = self.handle.dialog().file().add_filter("PEM", &["pem", "crt", "cer"]);
        name_of(answer_of(move |done| dialog.pick_file(done)).await?)
    }

    /// Asks where to, and writes an export there.
    pub(crate) async fn export_to_file(
        &self,
        request: ExportConversation,
    ) -> Result<Option<SavedFile>, Failure> {
        let exported = self.app.conversation_export(request).await?;
        let dialog = self.handle.dialog().file().set_file_name(&exported.name);
        let Some(picked) = answer_of(move |done| dialog.save_file(done)).await? else {
            return Ok(None);
        };
        saved(&path_of(picked)?, exported.text.as_bytes()).map(Some)
    }

    /// Asks for a file and imports it, or opens it where it holds many conversations.
    pub(crate) async fn import_from_file(&self, (): ()) -> Result<Option<FileImported>, Failure> {
        let dialog = self
            .handle
            .dialog()
            .file()
            .add_filter("ZIP, JSON, Markdown, JSONL", &["zip", "json", "md", "jsonl"]);
        let Some(picked) = answer_of(move |done| dialog.pick_file(done)).await? else {
            return Ok(None);
        };
        let path = path_of(picked)?;
        let file = File::open(&path).map_err(|error| io(&path, &error))?;
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned());
        self.app.import_file(name.unwrap_or_default(), file, None).await.map(Some)
    }

    /// Asks where to, and writes a checkpoint there as one file.
    pub(crate) async fn checkpoint_export(
        &self,
        request: ExportCheckpoint,
    ) -> Result<Option<SavedFile>, Failure> {
        let packed = self.app.checkpoint_packed(request).await?;
        let dialog = self.handle.dialog().file().set_file_name(&packed.name);
        let Some(picked) = answer_of(move |done| dialog.save_file(done)).await? else {
            return Ok(None);
        };
        saved(&path_of(picked)?, &packed.bytes).map(Some)
    }

    /// Takes a checkpoint over from the file that was handed over, or from one that it asks for.
    pub(crate) async fn checkpoint_import(
        &self,
        request: ImportCheckpoint,
    ) -> Result<Option<ImportedCheckpoint>, Failure> {
        let ImportCheckpoint { project_id, passphrase, file } = request;
        let path = match file {
            Some(file) if self.handle.state::<Dropped>().holds(&file) => PathBuf::from(file),
            Some(_) => {
                let message = "this file was not handed over";
                return Err(Failure::new(Code::BadRequest, message));
            }
            None => {
                let dialog = self.handle.dialog().file().add_filter("Siltstone", &[EXTENSION]);
                let Some(picked) = answer_of(move |done| dialog.pick_file(done)).await? else {
                    return Ok(None);
                };
                path_of(picked)?
            }
        };
        let mut bytes = Vec::new();
        File::open(&path)
            .and_then(|file| file.take(MAX_PACKED + 1).read_to_end(&mut bytes))
            .map_err(|error| io(&path, &error))?;
        self.app.checkpoint_unpacked(project_id, bytes, passphrase).await.map(Some)
    }

    /// Asks for pictures and PDF files with the system's dialog, and attaches them.
    pub(crate) async fn attachment_pick(
        &self,
        request: ConversationRef,
    ) -> Result<Vec<Attached>, Failure> {
        let kinds = ["png", "jpg", "jpeg", "gif", "webp", "pdf"];
        let dialog = self.handle.dialog().file().add_filter("PNG, JPEG, GIF, WebP, PDF", &kinds);
        let picked = answer_of(move |done| dialog.pick_files(done)).await?.unwrap_or_default();
        let paths = picked.into_iter().map(path_of).collect::<Result<_, _>>()?;
        self.attach_all(request.id, paths).await
    }

    /// Attaches files that were dropped on the window just now, and no others.
    pub(crate) async fn attachment_drop(
        &self,
        request: DropFiles,
    ) -> Result<Vec<Attached>, Failure> {
        let paths = self.handle.state::<Dropped>().take(&request.paths);
        let paths =
            paths.ok_or_else(|| Failure::new(Code::BadRequest, "these files were not dropped"))?;
        self.attach_all(request.conversation_id, paths).await
    }

    /// Attaches what can be attached; when something cannot, that is the answer, and the rest is in the composer.
    async fn attach_all(
        &self,
        id: ConversationId,
        paths: Vec<PathBuf>,
    ) -> Result<Vec<Attached>, Failure> {
        let mut attached = Vec::new();
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            attached.push(match start_of(&path) {
                Ok(bytes) => self.app.attach(id, name, bytes).await,
                Err(error) => Err(io(&path, &error)),
            });
        }
        attached.into_iter().collect()
    }

    /// Opens an address outside. The window shows it and asks first; anything but a page or a mail is refused.
    pub(crate) async fn open_link(&self, request: OpenLink) -> Result<(), Failure> {
        let url = Url::parse(&request.url)
            .map_err(|_| Failure::new(Code::BadRequest, "not an address"))?;
        if !matches!(url.scheme(), "http" | "https" | "mailto") {
            return Err(Failure::new(Code::BadRequest, "only web and mail addresses are opened"));
        }
        tauri_plugin_opener::open_url(url.as_str(), None::<&str>)
            .map_err(|error| Failure::new(Code::Io, error.to_string()))
    }

    /// Opens the data folder in the system's file manager.
    pub(crate) async fn open_data_folder(&self, (): ()) -> Result<(), Failure> {
        let info = self.app.app_info(()).await?;
        tauri_plugin_opener::open_path(info.data_dir, None::<&str>)
            .map_err(|error| Failure::new(Code::Io, error.to_string()))
    }

    /// A notification of the system, when the window is in the background.
    pub(crate) async fn notify(&self, request: Notify) -> Result<(), Failure> {
        let window = self.handle.get_webview_window(MAIN);
        if window.is_some_and(|window| window.is_focused().unwrap_or(true)) {
            return Ok(());
        }
        self.handle
            .notification()
            .builder()
            .title(request.title)
            .body(unmarked(&request.body))
            .show()
            .map_err(|error| Failure::new(Code::Io, error.to_string()))
    }
}

/// A text that no notification server takes for markup, which on Linux many do: a model could fetch a picture by it. A
/// server that takes none would show an escaped text with its escapes, so the marks themselves are others.
fn unmarked(text: &str) -> String {
    if cfg!(target_os = "linux") {
        text.replace('<', "‹").replace('>', "›")
    } else {
        text.to_owned()
    }
}

/// A file's bytes, of one that is too large only so many that this shows.
fn start_of(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn saved(path: &Path, bytes: &[u8]) -> Result<SavedFile, Failure> {
    write_whole(path, bytes).map_err(|error| io(path, &error))?;
    Ok(SavedFile { path: path.display().to_string(), shared: is_shared(path) })
}

fn io(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(Code::Io, format!("{}: {error}", path.display()))
}

/// Waits for a system dialog without blocking a thread; `None` when the person cancelled it.
async fn answer_of<T: Send + 'static>(
    open: impl FnOnce(Box<dyn FnOnce(Option<T>) + Send>),
) -> Result<Option<T>, Failure> {
    let (send, receive) = tokio::sync::oneshot::channel();
    open(Box::new(move |picked| {
        // The receiver is gone only when the program ends.
        let _ = send.send(picked);
    }));
    receive.await.map_err(|_| Failure::new(Code::Internal, "the dialog was closed"))
}

fn name_of(picked: Option<FilePath>) -> Result<Option<String>, Failure> {
    let path = picked.map(path_of).transpose()?;
    Ok(path.map(|path| path.display().to_string()))
}

fn path_of(picked: FilePath) -> Result<PathBuf, Failure> {
    picked.into_path().map_err(|error| Failure::new(Code::BadRequest, error.to_string()))
}
