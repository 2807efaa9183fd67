//! The shell: the only room that knows Tauri.
//!
//! It wires the adapters into the app, expands the contract's table into commands of the one window, forwards the
//! broadcast, and owns what needs a desktop: dialogs, links, notifications, a second start. It decides nothing.

mod commands;
mod dropped;
mod host;
mod logging;
mod offered;
mod start;
mod window;

use std::process::ExitCode;

use siltstone_app::App;
use siltstone_contract::{Changed, Topic};
use tauri::{AppHandle, Emitter, Manager, RunEvent};
use tokio::sync::broadcast::error::RecvError;

/// Label of the one window that may call commands.
const MAIN: &str = "main";

/// Runs the program until its window is closed.
pub fn run() -> ExitCode {
    siltstone_secrets::keep_memory_private();
    if let Some(code) = start::again_without_gpu() {
        return code;
    }
    let Some(data_dir) = siltstone_app::default_data_dir() else {
        return start::refuse("There is no folder for application data; set SILTSTONE_DATA_DIR.");
    };
    let _log = logging::start(&data_dir);
    siltstone_providers::install_crypto();
    let built = tauri::Builder::default()
        // First, so that a second start does nothing but hand over its path.
        .plugin(tauri_plugin_single_instance::init(|handle, arguments, folder| {
            offered::by_second_start(handle, &arguments, &folder);
        }))
        .plugin(tauri_plugin_window_state::Builder::default().build())
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_notification::init())
        .manage(dropped::Dropped::default())
        .on_window_event(dropped::on_window_event)
        .invoke_handler(commands::handle)
        .setup(move |tauri| {
            let named = start::argument();
            if let Some(path) = &named {
                offered::hand_over(tauri.handle(), path);
            }
            let app = start::app(data_dir, named);
            app.sit();
            tauri.manage(app.clone());
            tauri::async_runtime::spawn(app.watch_other_processes());
            tauri::async_runtime::spawn(app.follow_agents());
            window::open(tauri.handle())?;
            tauri::async_runtime::spawn(forward_changes(tauri.handle().clone(), app));
            Ok(())
        })
        .build(tauri::generate_context!());
    match built {
        Ok(tauri) => {
            tauri.run(|handle, event| {
                if let RunEvent::Exit = event {
                    let app = handle.state::<App>();
                    tauri::async_runtime::block_on(async {
                        app.leave_sessions().await;
                        app.leave_servers().await;
                    });
                }
            });
            ExitCode::SUCCESS
        }
        Err(error) => start::refuse(&format!("Siltstone could not start: {error}")),
    }
}

/// Tells the window what went stale, and applies what the window itself cannot.
async fn forward_changes(handle: AppHandle, app: App) {
    let mut changes = app.subscribe();
    window::apply_zoom(&handle, &app).await;
    loop {
        let changed = match changes.recv().await {
            Ok(changed) => changed,
            Err(RecvError::Lagged(_)) => Changed { topics: vec![Topic::All] },
            Err(RecvError::Closed) => return,
        };
        if changed.topics.iter().any(|topic| matches!(topic, Topic::Settings | Topic::All)) {
            window::apply_zoom(&handle, &app).await;
        }
        if let Err(error) = handle.emit_to(MAIN, "changed", changed) {
            tracing::warn!(%error, "telling the window what changed");
        }
    }
}
