//! Hostile text in every view that shows what somebody else wrote (safety.md, T1-T3): titles, messages, search hits, file
//! names, replies while they arrive, summaries, memory, and calls of tools. Nothing runs, nothing is fetched, nothing
//! navigates. The same texts do run in a page without our defences, so that the silence proves something.
//! SILTSTONE_SCALE says how many times as many are streamed; SILTSTONE_HOSTILE_DIR names larger collections.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{
    Browser, PATIENCE, Page, Start, Window, folder, root, scripted, wait, wait_within,
};

/// WebKitGTK's own plain browser: the same engine without our policy.
const PLAIN: &str = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser";

struct Sample {
    text: String,
    runs_raw: bool,
}

/// The committed samples.
fn own_samples() -> Vec<Sample> {
    let text = std::fs::read_to_string(root().join("tests/support/hostile/samples.json"));
    let list: Vec<Value> = serde_json::from_str(&text.expect("the samples")).expect("a list");
    list.iter().filter_map(sample).collect()
}

/// Larger collections where the machine has them: `*.jsonl.gz` in SILTSTONE_HOSTILE_DIR.
fn more_samples() -> Vec<Sample> {
    let Some(folder) = std::env::var_os("SILTSTONE_HOSTILE_DIR") else { return Vec::new() };
    let entries = std::fs::read_dir(folder).expect("SILTSTONE_HOSTILE_DIR is a folder").flatten();
    let packed = entries.filter(|entry| entry.file_name().to_string_lossy().ends_with(".jsonl.gz"));
    let lines = packed.flat_map(|entry| {
        let unpacked = Command::new("gzip").arg("-dc").arg(entry.path()).output().expect("gzip");
        let text = String::from_utf8_lossy(&unpacked.stdout).into_owned();
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    });
    lines.filter_map(|line| sample(&serde_json::from_str(&line).ok()?)).collect()
}

fn sample(entry: &Value) -> Option<Sample> {
    let text = ["text", "md", "p"].iter().find_map(|field| entry[*field].as_str())?;
    let runs_raw = entry["why"] == "runs when inserted as HTML";
    (!text.trim().is_empty()).then(|| Sample { text: text.to_owned(), runs_raw })
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

/// The same, with how many texts were shown there.
#[track_caller]
fn calm_after(window: &Window, place: &str, texts: usize) {
    calm(window, place);
    eprintln!("{texts:6} hostile texts as {place}: no script, no request, no other page");
}

/// How many times as much is to be tried.
fn scale() -> usize {
    std::env::var("SILTSTONE_SCALE").ok().and_then(|scale| scale.parse().ok()).unwrap_or(1)
}

#[test]
fn hostile_texts_stay_texts_everywhere() {
    let samples = own_samples();
    assert!(samples.len() >= 40, "there are samples");
    let names = names(&samples);
    let start = Start::new("en");
    let silt = start.silt();
    let asked = samples.iter().map(|sample| ("user", sample.text.clone()));
    let more = more_samples();
    let answered = samples.iter().chain(&more).map(|sample| ("assistant", sample.text.clone()));
    let messages: Vec<(&str, String)> = asked.chain(answered).collect();
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
    calm_after(&window, "titles in the list", names.len().min(30));

    let dialogue = window.browser();
    let mut seen = BTreeSet::new();
    window.open_conversation("All of them");
    let patience = PATIENCE + Duration::from_millis(200) * messages.len() as u32;
    wait_within(patience, "every message", || {
        let shown = window.drawn();
        seen.extend(shown.iter().map(|turn| turn.place));
        // Upwards; and again from below, should a row have been passed over while pages arrived.
        let end = shown.first()?.place == 1;
        dialogue.run(
            "const list = document.querySelector('[role=log]');
             list.scrollTop = arguments[0] ? list.scrollHeight : list.scrollTop - list.clientHeight * 0.6",
            vec![json!(end)],
        );
        (seen.len() == messages.len()).then_some(())
    });
    calm_after(&window, "messages", messages.len());

    window.keys("Control+Shift+f");
    let search = window.control("dialog", "search:title");
    search.the("searchbox", &window.word("search:field")).type_text("needle");
    // Of a kind a few are shown first.
    window.like("button", &format!(" {}$", names.len().min(30))).click();
    wait("hits", || (search.every("button").len() > names.len().min(30)).then_some(()));
    calm_after(&window, "search hits", names.len().min(30));
    window.dismiss();

    window.start_again(project.path());
    let sheet = window.like("dialog", "^aurora-");
    wait("the file names", || sheet.text().contains(&names[0]).then_some(()));
    calm_after(&window, "file names", names.len().min(30));
    sheet.the("button", &window.word("drop:trust")).click();
    window.begins_empty();
    window.ask(&names[0]);
    calm(&window, "quotes");

    // The last line of defence, should a sink ever slip in.
    let raw = "document.body.appendChild(document.createElement('div')).innerHTML = arguments[0]";
    let refused = window.browser().try_run(raw, vec![json!(names[0])]);
    let refused = refused.expect_err("Trusted Types refuse a raw sink");
    assert!(refused.contains("TrustedHTML"), "{refused}");
}

/// What every prompt that asks for a summary says.
const ASKS_TO_SUMMARISE: &str = "Keep decisions";

/// Texts of a model: as they arrive, character by character; as a summary; as a call of a tool and its result.
#[test]
fn hostile_texts_of_a_model_stay_texts_at_every_prefix_and_wherever_they_are_told() {
    let samples = own_samples();
    let short: Vec<&str> =
        samples.iter().map(|sample| sample.text.as_str()).filter(|text| text.len() < 160).collect();
    let streamed: Vec<&str> = short.iter().copied().cycle().take(8 * scale()).collect();
    let project = folder::project();
    let all = samples.iter().map(|sample| format!("{}\n\n", sample.text)).collect::<String>();
    folder::write(project.path(), "AGENTS.md", &format!("# Rules\n\n{all}"));
    folder::write(project.path(), "notes.md", &all);

    let mut fixtures: Vec<Value> = Vec::new();
    for (at, text) in streamed.iter().enumerate() {
        fixtures.push(json!({
            "match": { "userMessage": format!("Say number {at:04}.") },
            "response": { "content": text },
            "chunkSize": 1,
            "latency": 25,
        }));
    }
    let call = json!({ "path": "notes.md", "why": short[0] }).to_string();
    let call = json!([{ "name": "read_file", "arguments": call }]);
    let other =
        json!([{ "name": short[0], "arguments": json!({ short[1]: short[2] }).to_string() }]);
    for (question, calls) in [("Read the notes.", call), ("Call what is not there.", other)] {
        fixtures.push(json!({
            "match": { "userMessage": question, "hasToolResult": false },
            "response": { "content": short[0], "toolCalls": calls },
        }));
        fixtures.push(json!({
            "match": { "userMessage": question, "hasToolResult": true },
            "response": { "content": short[1] },
        }));
    }
    let summary = short.iter().take(6).copied().collect::<Vec<_>>().join("\n\n");
    fixtures.push(json!({
        "match": { "userMessage": ASKS_TO_SUMMARISE }, "response": { "content": summary },
    }));
    fixtures.push(json!({ "match": {}, "response": { "content": short[3] } }));
    let server = scripted(&fixtures);
    let start = Start::new("en").argument(project.path());
    let silt = start.silt();
    silt.open_project(project.path());
    silt.connect("scripted", &server.base_url(), "gpt-4o");
    let long =
        "The session refreshes its token after thirty minutes; the port is 5433. ".repeat(40);
    let turns: Vec<(&str, String)> = (0..24)
        .map(|turn| {
            if turn % 2 == 0 {
                ("user", format!("Turn {turn}?"))
            } else {
                ("assistant", long.clone())
            }
        })
        .collect();
    let place = project.path().display().to_string();
    let folded = silt.import_into(&place, "To be folded", &turns);
    silt.ask(&["summary", "run", &folded, "--policy", "rolling"]);

    let window = start.window();
    window.composer();
    watch(window.browser());
    for (at, text) in streamed.iter().enumerate() {
        window.say(&format!("Say number {at:04}."));
        window.finished();
        calm(&window, text);
    }
    let prefixes = streamed.iter().map(|text| text.chars().count()).sum();
    calm_after(&window, "replies while they arrive, prefix by prefix", prefixes);

    for question in ["Read the notes.", "Call what is not there."] {
        window.say(question);
        window.finished();
        // Every row of a call opens to what was called and what came back; what opens a list of models is none.
        for row in window.all_like("button", ".") {
            if row.tell("return arguments[0].getAttribute('aria-expanded')") == "false"
                && row.tell("return arguments[0].hasAttribute('aria-haspopup')") == false
                && row.tell("return Boolean(arguments[0].closest('[role=log]'))") == true
            {
                row.click();
            }
        }
        window.still();
    }
    calm_after(&window, "calls of tools and their results", samples.len() + 2);

    window.keys("Control+m");
    wait("the memory", || window.shows(short[0]).then_some(()));
    calm_after(&window, "memory", samples.len());
    window.keys("Control+m");

    window.open_conversation("To be folded");
    window.keys("Control+Shift+s");
    wait("the summary", || window.shows(short[0]).then_some(()));
    calm_after(&window, "a summary", 6);
}

#[test]
fn the_same_texts_run_where_nothing_defends() {
    let samples: Vec<String> = own_samples()
        .into_iter()
        .filter(|sample| sample.runs_raw)
        .map(|sample| sample.text)
        .collect();
    let folder = tempfile::tempdir().expect("a folder");
    let (program, arguments) = (Path::new(PLAIN), &["--automation"][..]);
    let browser = Browser::start(program, arguments, &HashMap::new(), folder.path());
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
