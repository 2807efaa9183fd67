//! Hostile text as messages, titles, file names and search hits: nothing runs, nothing is fetched, nothing navigates.
//! The same texts do run in a page without our defences, so that the silence proves something.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Browser, Page, Start, Window, folder, root, wait};

/// WebKitGTK's own plain browser: the same engine without our policy.
const PLAIN: &str = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser";

struct Sample {
    text: String,
    runs_raw: bool,
}

/// The committed samples, and larger collections where the machine has them.
fn samples() -> Vec<Sample> {
    let own = root().join("tests/support/hostile/samples.json");
    let mut files = vec![own];
    if let Some(folder) = std::env::var_os("SILTSTONE_HOSTILE_DIR") {
        let entries = std::fs::read_dir(folder).expect("SILTSTONE_HOSTILE_DIR is a folder");
        let paths = entries.flatten().map(|entry| entry.path());
        files.extend(paths.filter(|path| path.extension().is_some_and(|ending| ending == "json")));
    }
    let mut samples = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("hostile samples");
        let Ok(Value::Array(list)) = serde_json::from_str(&text) else { continue };
        for entry in list {
            let text = entry.as_str().or_else(|| entry["text"].as_str());
            let Some(text) = text.filter(|text| !text.trim().is_empty()) else { continue };
            let runs_raw = entry["why"] == "runs when inserted as HTML";
            samples.push(Sample { text: text.to_owned(), runs_raw });
        }
    }
    samples
}

/// Those that may stand in a file name.
fn names(samples: &[Sample]) -> Vec<String> {
    let fit = |text: &&str| !text.contains(['/', '\0', '\n']) && text.len() < 120;
    samples.iter().map(|sample| sample.text.as_str()).filter(fit).map(str::to_owned).collect()
}

/// Watches for everything that must not happen.
fn watch(browser: &Browser) {
    browser.run(
        "window.trouble = [];
         document.addEventListener('securitypolicyviolation', (event) =>
           window.trouble.push(`refused ${event.violatedDirective}: ${event.blockedURI}`));
         addEventListener('beforeunload', () => window.trouble.push('navigation'));
         for (const name of ['alert', 'confirm', 'prompt', 'open', 'print'])
           window[name] = () => window.trouble.push(name);",
        vec![],
    );
}

/// What happened that must not: scripts that ran, policy refusals, requests, other pages.
fn trouble(browser: &Browser) -> Vec<String> {
    let found = browser.run(
        "const own = (address) => /^(tauri|ipc):\\/\\/localhost(\\/|$)/.test(address) ||
           address.startsWith('http://ipc.localhost/');
         return [
           ...(window.ran === undefined ? [] : ['a script ran']),
           ...(window.trouble ?? ['the page was left']),
           ...performance.getEntriesByType('resource').map((entry) => entry.name)
             .filter((address) => !own(address)),
           ...(own(location.href) ? [] : [location.href]),
           ...(document.querySelector('iframe, object, embed, script:not([src])') ? ['a foreign element'] : []),
         ]",
        vec![],
    );
    serde_json::from_value(found).expect("a list")
}

#[track_caller]
fn calm(window: &Window, place: &str) {
    assert_eq!(trouble(window.browser()), Vec::<String>::new(), "{place}");
}

#[test]
fn hostile_texts_stay_texts_everywhere() {
    let samples = samples();
    assert!(samples.len() >= 40, "there are samples");
    let names = names(&samples);
    let start = Start::new("en");
    let silt = start.silt();
    let messages: Vec<(&str, String)> = samples
        .iter()
        .flat_map(|sample| [("user", sample.text.clone()), ("assistant", sample.text.clone())])
        .collect();
    for name in names.iter().take(30) {
        silt.import(name, &[("user", format!("needle {name}"))]);
    }
    silt.import("All of them", &messages);
    let project = folder::project();
    for name in names.iter().take(30) {
        folder::write(project.path(), &format!(".cursor/rules/{name}.md"), name);
    }
    let window = start.window();
    watch(window.browser());
    wait("the titles", || window.shows(&names[0]).then_some(()));
    calm(&window, "titles in the list");

    let dialogue = window.browser();
    let mut seen = BTreeSet::new();
    window.open_conversation("All of them");
    wait("every message", || {
        let shown = window.drawn();
        seen.extend(shown.iter().map(|turn| turn.place));
        let first = shown.first()?.place;
        dialogue.run(
            "const list = document.querySelector('[role=log]'); list.scrollTop -= list.clientHeight * 0.8",
            vec![],
        );
        (first == 1 && seen.len() == messages.len()).then_some(())
    });
    calm(&window, "messages");

    window.keys("Control+Shift+f");
    let search = window.control("dialog", "search:title");
    search.the("searchbox", &window.word("search:field")).type_text("needle");
    wait("hits", || (search.every("button").len() > names.len().min(30)).then_some(()));
    calm(&window, "search hits");
    window.dismiss();

    window.start_again(project.path());
    let sheet = window.like("dialog", "^aurora-");
    wait("the file names", || sheet.text().contains(&names[0]).then_some(()));
    calm(&window, "file names");
    sheet.the("button", &window.word("drop:trust")).click();
    wait("an empty conversation", || window.turns().is_empty().then_some(()));
    window.ask(&names[0]);
    calm(&window, "quotes");

    // The last line of defence, should a sink ever slip in.
    let raw = "document.body.appendChild(document.createElement('div')).innerHTML = arguments[0]";
    let refused = window.browser().try_run(raw, vec![json!(names[0])]);
    let refused = refused.expect_err("Trusted Types refuse a raw sink");
    assert!(refused.contains("TrustedHTML"), "{refused}");
}

#[test]
fn the_same_texts_run_where_nothing_defends() {
    let samples: Vec<String> =
        samples().into_iter().filter(|sample| sample.runs_raw).map(|sample| sample.text).collect();
    let log = tempfile::tempfile().expect("a log");
    let browser = Browser::start(Path::new(PLAIN), &["--automation"], &HashMap::new(), log);
    let fired = browser.run_async(
        "const done = arguments[arguments.length - 1];
         (async () => {
           let fired = 0;
           for (const text of arguments[0]) {
             delete window.ran;
             const box = document.body.appendChild(document.createElement('div'));
             box.innerHTML = text;
             for (let step = 0; step < 20 && window.ran === undefined; step++)
               await new Promise((next) => setTimeout(next, 25));
             if (window.ran !== undefined) fired++;
             box.remove();
           }
           return fired;
         })().then(done, (error) => done(String(error)))",
        vec![json!(samples)],
    );
    let fired = fired.as_u64().unwrap_or_else(|| panic!("the control failed: {fired}"));
    eprintln!("{fired} of {} hostile samples run in a raw sink", samples.len());
    assert!(fired as usize * 3 >= samples.len() * 2, "{fired} of {} run", samples.len());
}
