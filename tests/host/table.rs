//! The table of commands, expanded for lines: as `src-tauri/src/commands.rs` expands it for the window.

use std::fs::File;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use futures_util::FutureExt;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use siltstone_app::{App, Sink};
use siltstone_contract::{
    CarryEvent, Code, CopyEvent, CopyMade, ExportCheckpoint, Failure, FileImported,
    ImportCheckpoint, ImportEvent, ImportedCheckpoint, ProbeEvent, SealEvent, TurnEvent,
    UpdateEvent, VaultEvent, for_each_command,
};
use tokio::sync::mpsc::UnboundedSender;

use crate::{Told, say};

macro_rules! table {
    (
        app { $($service:ident { $($(#[$doc:meta])* $name:ident: $request:ty => $reply:ty;)* })* }
        streams {
            $($streaming:ident { $($(#[$sdoc:meta])* $sname:ident: $srequest:ty => $sreply:ty, $event:ty;)* })*
        }
        host { $($(#[$hdoc:meta])* $hname:ident: $hrequest:ty => $hreply:ty;)* }
    ) => {
        /// Carries a call out and says what came of it.
        pub(crate) fn handle(
            app: App,
            id: u64,
            command: &str,
            request: Value,
            out: UnboundedSender<String>,
        ) {
            match command {
                $($(stringify!($name) => {
                    answer(id, out, async move { app.$name(argument(request)?).await });
                })*)*
                $($(stringify!($sname) => {
                    let to = out.clone();
                    let sink: Sink<$event> =
                        Arc::new(move |event| say(&to, Some(id), Told::Event(event)));
                    answer(id, out, async move { app.$sname(argument(request)?, sink).await });
                })*)*
                "checkpoint_packed" => {
                    answer(id, out, async move { packed(app, argument(request)?).await });
                }
                "checkpoint_unpacked" => {
                    answer(id, out, async move { unpacked(app, argument(request)?).await });
                }
                "import_file" => {
                    answer(id, out, async move { file_imported(app, argument(request)?).await });
                }
                _ => answer(id, out, async {
                    Err::<(), _>(Failure::new(Code::BadRequest, "no command of the app"))
                }),
            }
        }
    };
}

for_each_command!(table);

/// A checkpoint as one file, which a window would write where the person says.
#[derive(Serialize)]
struct Packed {
    name: String,
    base64: String,
}

/// Such a file, which a window would ask the person for.
#[derive(Deserialize)]
struct Unpack {
    base64: String,
    #[serde(flatten)]
    into: ImportCheckpoint,
}

async fn packed(app: App, request: ExportCheckpoint) -> Result<Packed, Failure> {
    let packed = app.checkpoint_packed(request).await?;
    Ok(Packed { name: packed.name, base64: BASE64_STANDARD.encode(packed.bytes) })
}

async fn unpacked(
    app: App,
    Unpack { base64, into }: Unpack,
) -> Result<ImportedCheckpoint, Failure> {
    let bytes = BASE64_STANDARD.decode(base64).expect("bytes in base64");
    app.checkpoint_unpacked(into.project_id, bytes, into.passphrase).await
}

/// A file that a window would ask the person for.
#[derive(Deserialize)]
struct ImportFile {
    path: PathBuf,
}

async fn file_imported(app: App, ImportFile { path }: ImportFile) -> Result<FileImported, Failure> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let file = File::open(&path).expect("a file that the test wrote");
    app.import_file(name, file, None).await
}

fn argument<T: DeserializeOwned>(request: Value) -> Result<T, Failure> {
    serde_json::from_value(request).map_err(|error| {
        Failure::new(Code::BadRequest, format!("`request` does not fit this command: {error}"))
    })
}

fn answer<T: Serialize + Send + 'static>(
    id: u64,
    out: UnboundedSender<String>,
    work: impl Future<Output = Result<T, Failure>> + Send + 'static,
) {
    tokio::spawn(async move {
        let outcome = AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|_| {
            Err(Failure::new(Code::Internal, "a command failed in a way it never should"))
        });
        let told = match outcome {
            Ok(reply) => Told::Reply(reply),
            Err(failure) => Told::Failure(failure),
        };
        say(&out, Some(id), told);
    });
}
