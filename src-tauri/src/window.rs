//! The one window: nothing in it navigates, opens another, or loads from outside.

use siltstone_app::App;
use tauri::webview::NewWindowResponse;
use tauri::{AppHandle, Manager, Url, WebviewUrl, WebviewWindow, WebviewWindowBuilder};

use crate::MAIN;

const SIZE: (f64, f64) = (1280.0, 820.0);
const SMALLEST: (f64, f64) = (900.0, 600.0);

pub(crate) fn open(handle: &AppHandle) -> tauri::Result<()> {
    let window = WebviewWindowBuilder::new(handle, MAIN, WebviewUrl::App("index.html".into()))
        .title("Siltstone")
        .inner_size(SIZE.0, SIZE.1)
        .min_inner_size(SMALLEST.0, SMALLEST.1)
        .on_navigation(is_own)
        // The interface says there how many conversations wait for an answer.
        .on_document_title_changed(|window, title| {
            if let Err(error) = window.set_title(&title) {
                tracing::warn!(%error, "naming the window");
            }
        })
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .build()?;
    load_again_after_a_crash(&window)?;
    draw_composition(&window)
}

/// How soon after its page was loaded again a process that ends once more is left alone: what breaks every time would
/// be loaded for ever.
#[cfg(target_os = "linux")]
const TOO_SOON: std::time::Duration = std::time::Duration::from_secs(1);

/// Loads the page again when the process that draws it ended: it crashed, or the system took its memory. Nothing is kept
/// in it that is not kept here, so it shows what it showed.
#[cfg(target_os = "linux")]
fn load_again_after_a_crash(window: &WebviewWindow) -> tauri::Result<()> {
    use webkit2gtk::WebViewExt;

    window.with_webview(|webview| {
        let last = std::cell::Cell::new(None::<std::time::Instant>);
        webview.inner().connect_web_process_terminated(move |page, why| {
            tracing::warn!(?why, "the process of the page ended");
            if last.get().is_none_or(|last| last.elapsed() > TOO_SOON) {
                last.set(Some(std::time::Instant::now()));
                page.reload();
            }
        });
    })
}

#[cfg(not(target_os = "linux"))]
fn load_again_after_a_crash(_: &WebviewWindow) -> tauri::Result<()> {
    Ok(())
}

/// Whether an address is the embedded interface itself.
fn is_own(url: &Url) -> bool {
    let embedded = url.scheme() == "tauri" && url.host_str() == Some("localhost");
    let windows = url.scheme() == "http" && url.host_str() == Some("tauri.localhost");
    let development = cfg!(dev) && url.host_str() == Some("localhost");
    embedded || windows || development
}

/// Lets WebKitGTK draw Hangul while it is composed: wry turns that off for every window on Linux.
#[cfg(target_os = "linux")]
fn draw_composition(window: &WebviewWindow) -> tauri::Result<()> {
    use webkit2gtk::{InputMethodContextExt, WebViewExt};

    window.with_webview(|webview| {
        if let Some(context) = webview.inner().input_method_context() {
            context.set_enable_preedit(true);
        }
    })
}

#[cfg(not(target_os = "linux"))]
fn draw_composition(_: &WebviewWindow) -> tauri::Result<()> {
    Ok(())
}

/// Applies the person's text size.
pub(crate) async fn apply_zoom(handle: &AppHandle, app: &App) {
    let Ok(settings) = app.settings_get(()).await else { return };
    if let Some(window) = handle.get_webview_window(MAIN)
        && let Err(error) = window.set_zoom(f64::from(settings.zoom) / 100.0)
    {
        tracing::warn!(%error, "setting the text size");
    }
}
