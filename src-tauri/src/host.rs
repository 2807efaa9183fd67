//! The rows of the table that need a desktop: dialogs, links, notifications.

use std::path::PathBuf;

use siltstone_app::App;
use siltstone_contract::{
    Code, ConversationItem, ExportConversation, Failure, ImportConversation, Notify, OpenLink,
};
use tauri::{AppHandle, Manager};
use tauri_plugin_dialog::{DialogExt, FilePath};
use tauri_plugin_notification::NotificationExt;
use url::Url;

use crate::MAIN;

/// Largest file that is imported, in bytes.
const IMPORT_BYTES: u64 = 64 * 1024 * 1024;

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
        let picked = dialog_result(move |done| dialog.pick_folder(done)).await?;
        Ok(picked.map(|path| path.display().to_string()))
    }

    /// Asks where to, and writes an export there.
    pub(crate) async fn export_to_file(
        &self,
        request: ExportConversation,
    ) -> Result<Option<String>, Failure> {
        let exported = self.app.conversation_export(request).await?;
        let dialog = self.handle.dialog().file().set_file_name(&exported.name);
        let Some(path) = dialog_result(move |done| dialog.save_file(done)).await? else {
            return Ok(None);
        };
        std::fs::write(&path, exported.text).map_err(|error| io(&path, &error))?;
        Ok(Some(path.display().to_string()))
    }

    /// Asks for a file and imports it.
    pub(crate) async fn import_from_file(
        &self,
        (): (),
    ) -> Result<Option<ConversationItem>, Failure> {
        let dialog = self
            .handle
            .dialog()
            .file()
            .add_filter("Markdown, JSON, JSONL", &["md", "json", "jsonl"]);
        let Some(path) = dialog_result(move |done| dialog.pick_file(done)).await? else {
            return Ok(None);
        };
        let size = std::fs::metadata(&path).map_err(|error| io(&path, &error))?.len();
        if size > IMPORT_BYTES {
            return Err(Failure::new(Code::ImportUnreadable, "the file is larger than 64 MiB"));
        }
        let bytes = std::fs::read(&path).map_err(|error| io(&path, &error))?;
        let text = String::from_utf8(bytes)
            .map_err(|_| Failure::new(Code::NotText, path.display().to_string()))?;
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned());
        let request = ImportConversation { text, name: name.unwrap_or_default(), project_id: None };
        self.app.conversation_import(request).await.map(Some)
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
            .body(request.body)
            .show()
            .map_err(|error| Failure::new(Code::Io, error.to_string()))
    }
}

fn io(path: &std::path::Path, error: &std::io::Error) -> Failure {
    Failure::new(Code::Io, format!("{}: {error}", path.display()))
}

/// Waits for a system dialog without blocking a thread; `None` when the person cancelled it.
async fn dialog_result(
    open: impl FnOnce(Box<dyn FnOnce(Option<FilePath>) + Send>),
) -> Result<Option<PathBuf>, Failure> {
    let (send, receive) = tokio::sync::oneshot::channel();
    open(Box::new(move |picked| {
        // The receiver is gone only when the program ends.
        let _ = send.send(picked);
    }));
    let picked =
        receive.await.map_err(|_| Failure::new(Code::Internal, "the dialog was closed"))?;
    picked
        .map(FilePath::into_path)
        .transpose()
        .map_err(|error| Failure::new(Code::BadRequest, error.to_string()))
}
