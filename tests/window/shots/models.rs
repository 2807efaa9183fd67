//! Pictures of what has to do with models: keys in every state, attachments, thoughts, what was sent, what it cost.

use std::path::PathBuf;
use std::process::Command;

use serde_json::json;
use siltstone_test_servers::Server;
use siltstone_test_servers::guarded::Guarded;
use tempfile::TempDir;

use super::{HEIGHT, Shooter, for_each};
use crate::support::desktop::Copied;
use crate::support::{Found, Keyring, Page, Start, Window, beside_ollama, drop_on, scripted, wait};

const KEY: &str = "sk-shots-Nd4Vq8Jw2Ls6Xb9T";

#[test]
#[ignore = "pictures, by make shots"]
fn connecting_in_both_themes_and_languages() {
    for_each(connecting);
    for_each(without_keyring);
}

#[test]
#[ignore = "pictures, by make shots"]
fn pictures_thoughts_and_costs_in_both_themes_and_languages() {
    const NAME: &str = "shots::models::pictures_thoughts_and_costs_in_both_themes_and_languages";
    let fixtures = [
        json!({ "match": { "userMessage": "layers" }, "response": {
            "content": "Five of them. The lowest is the oldest: **siltstone**, laid down in still water.",
            "reasoning": "The picture shows bands from light to dark.\n\nThe darkest one lies lowest, so it was there first.",
        } }),
        json!({ "match": {}, "response": { "content": "Yes." } }),
    ];
    beside_ollama(
        NAME,
        || scripted(&fixtures),
        |server, _| {
            for_each(found);
            for_each(|language, theme| talking(server, language, theme));
        },
    );
}

/// A server that answers on this computer.
fn found(language: &'static str, theme: &str) {
    let window = Window::first(language);
    let shooter = Shooter::of(&window, language, theme);
    let offer = window.phrase("start:useFound", &[("name", "Ollama"), ("model", ".*")]);
    window.like("button", &offer);
    shooter.take_in_all_widths("start-found");
    window.ways_to_connect();
    window.the("button", &window.phrase("start:found.connectTo", &[("name", "Ollama")]));
    shooter.take_in_all_widths("connect-found");
}

#[track_caller]
fn press(window: &Window, name: &str) {
    window.control("button", name).click();
}

/// Brings something to where it is seen.
#[track_caller]
fn centre(found: &Found<'_>) {
    found.tell("arguments[0].scrollIntoView({ block: 'center' })");
}

fn connecting(language: &'static str, theme: &str) {
    let (keyring, server) = (Keyring::open(), Guarded::by(KEY).expect("a port to listen at"));
    keyring.lock();
    let mut window = Start::new(language).with(&keyring).window();
    let mark = {
        let shooter = Shooter::of(&window, language, theme);
        window.paste_key("keys:connect.key", KEY);
        let field = window.control("textbox", "keys:connect.key");
        window.reads(&window.phrase("keys:connect.recognised", &[("name", "OpenAI")]));
        centre(&field);
        shooter.take("connect-recognised");
        window.at_address(&window.compatible(), server.base_url());
        server.change_key("another");
        press(&window, "keys:connect.test");
        centre(&window.control("button", "keys:connect.keep"));
        shooter.take("connect-failed");
        server.change_key(KEY);
        press(&window, "keys:connect.test");
        centre(&window.control("group", "keys:place.title"));
        shooter.take("connect-keyring-locked");
        window
            .control("group", "keys:place.title")
            .the("button", &window.word("common:cancel"))
            .click();
        keyring.hang();
        press(&window, "keys:connect.test");
        centre(&window.control("button", "keys:place.retry"));
        shooter.take("connect-keyring-silent");
        press(&window, "keys:place.vault");
        let passphrase = window.control("textbox", "keys:vault.new");
        passphrase.type_text("short");
        press(&window, "keys:vault.make");
        window.reads(&window.word("keys:vault.short"));
        centre(&passphrase);
        shooter.take_in_all_widths("connect-vault");
        passphrase.type_text(" no more");
        window.control("textbox", "keys:vault.again").type_text("short no more");
        press(&window, "keys:vault.make");
        centre(&window.control("button", "keys:connect.use"));
        shooter.take_in_all_widths("connect-tested");
        window.use_tested();
        window.just_talk();
        window.ask("Is it open?");
        shooter.mark
    };
    window.close();
    window.reopen();
    wait("the history", || (!window.turns().is_empty()).then_some(()));
    window.say("Still?");
    window.fails_with("vault_locked");
    press(&window, "keys:vault.open");
    window.control("textbox", "keys:vault.passphrase");
    Shooter { window: &window, mark }.take("chat-vault-locked");
}

fn without_keyring(language: &'static str, theme: &str) {
    let server = Guarded::by(KEY).expect("a port to listen at");
    let window = Start::new(language).without_keyring().window();
    let shooter = Shooter::of(&window, language, theme);
    window.paste_key("keys:connect.key", KEY);
    window.at_address(&window.compatible(), server.base_url());
    press(&window, "keys:connect.test");
    centre(&window.control("group", "keys:place.title"));
    shooter.take("connect-keyring-absent");
}

/// A picture, a paper, and something that only calls itself a picture.
fn files() -> (TempDir, [PathBuf; 3]) {
    let folder = tempfile::tempdir().expect("a folder for files");
    let paths =
        ["지층.png", "측정-보고서.pdf", "not-a-picture.png"].map(|name| folder.path().join(name));
    let drawn = Command::new("convert")
        .args(["-size", "640x400", "gradient:#c8a06a-#3d3127", "-wave", "12x160"])
        .arg(&paths[0])
        .status();
    assert!(drawn.expect("imagemagick is installed").success(), "a picture");
    std::fs::write(&paths[1], "%PDF-1.4\n1 0 obj <</Type /Page>> endobj\n").expect("a paper");
    std::fs::write(&paths[2], "Words.").expect("no picture");
    (folder, paths)
}

fn talking(server: &Server, language: &'static str, theme: &str) {
    let start = Start::new(language);
    let base_url = server.base_url();
    let add = ["--kind", "anthropic", "--name", "Anthropic", "--base-url", &base_url];
    let silt = start.silt();
    silt.ask(&[&["provider", "add"], &add[..]].concat());
    silt.ask(&["provider", "default", "Anthropic", "claude-3-7-sonnet"]);
    silt.ask(&["price", "set", "claude-3-7-sonnet", "--input", "3", "--output", "15"]);
    let window = start.window();
    let shooter = Shooter::of(&window, language, theme);
    window.control("button", "start:sample.title").click();
    wait("the sample", || (!window.turns().is_empty()).then_some(()));
    wait("its request", || {
        let pane = window.all("complementary", &window.word("context:label")).into_iter().next()?;
        pane.text().contains("AGENTS.md").then_some(())
    });
    shooter.take_in_all_widths("sample");

    let (_folder, [picture, paper, words]) = files();
    window.new_conversation();
    let copied = Copied::picture(&picture);
    window.composer().click();
    window.keys("Control+v");
    window.the("button", &window.phrase("attach:remove", &[("name", "image.png")]));
    drop(copied);
    drop_on(&window, &paper);
    window.the("button", &window.phrase("attach:remove", &[("name", "측정-보고서.pdf")]));
    drop_on(&window, &words);
    window.reads("not-a-picture.png:");
    window.composer().type_text("How many layers are there, and which came first?");
    shooter.take_in_all_widths("chat-attached");
    window.composer().enter();
    wait("the question", || (!window.turns().is_empty()).then_some(()));
    window.finished();
    shooter.take_in_all_widths("chat-picture");
    window.finished().tell("arguments[0].querySelector('summary').click()");
    wait("the thought", || window.shows("lies lowest").then_some(()));
    shooter.take("chat-reasoning");
    press(&window, "tuning:label");
    window.control("textbox", "tuning:instructions").type_text("Answer in one sentence.");
    window.control("textbox", "tuning:temperature").type_text("0.2");
    shooter.take_in_all_widths("chat-tuning");
    window.keys("Escape");

    // In a narrow window the pane lies over the conversation, and is opened anew; what lies over both stays.
    window.finished().the("button", &window.word("chat:actions.saw")).click();
    window.control("button", "context:exactBytes.open");
    shooter.take("context-exact");
    press(&window, "context:exactBytes.open");
    window.control("document", "egress:body");
    shooter.take_in_all_widths("request");
    window.dismiss();
    window.resize(900, HEIGHT);
    window.finished().the("button", &window.word("chat:actions.saw")).click();
    window.control("button", "context:exactBytes.open");
    shooter.take_at(900, "context-exact");
    window.resize(1280, HEIGHT);
    window.settings("left").the("switch", &window.word("egress:home")).click();
    window.control("table", "egress:title");
    shooter.take_in_all_widths("settings-left");
    window.control("switch", "settings:privacy.only").click();
    shooter.take("settings-only");
    window.settings("models");
    shooter.take("settings-connected");
    let proxy = window.settings("network").the("combobox", &window.word("settings:network.proxy"));
    window.choose_in(&proxy, &window.word("settings:network.address"));
    window.control("textbox", "settings:network.url").type_text("http://proxy.example:3128");
    shooter.take("settings-proxy");
    window.settings("spending");
    window.control("table", "spending:byModel");
    shooter.take_in_all_widths("settings-spent");
    let price = window.phrase("spending:change", &[("model", "claude-3-7-sonnet")]);
    centre(&window.the("button", &price));
    window.the("button", &price).click();
    window.the("dialog", &window.phrase("spending:edit.title", &[("model", "claude-3-7-sonnet")]));
    shooter.take("settings-price");
    window.keys("Escape");
    window.dismiss();
    window.silt().ask(&["spending", "--limit", "0.000001"]);
    window.composer().type_text("Are you sure?");
    window.composer().enter();
    window.control("button", "talk:limit.goOn");
    shooter.take_in_all_widths("chat-limit");
}
