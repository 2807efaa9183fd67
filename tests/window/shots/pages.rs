//! Pictures of README and guide that show the program at work, on the sample: its folder as if it were dropped, a question
//! with its request, a search over everything, a fold with its summary, and the plan of a restore.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::{Shooter, checkpoint, name_of};
use crate::support::{Page, Start, Window, scripted, wait};

/// What is asked of the sample, and what goes wrong in a file of it.
struct Tale {
    language: &'static str,
    asked: &'static str,
    searched: &'static str,
    folder: &'static str,
    tag: &'static str,
    /// A line of `rain.py`, and another one in its place.
    broken: [&'static str; 2],
    /// A line at the end of `README.md`.
    added: &'static str,
}

const TALES: [Tale; 2] = [
    Tale {
        language: "en",
        asked: "Who had a laptop in the shed, and when?",
        searched: "firmware",
        folder: "samples/en/rain-gauge",
        tag: "tests are green",
        broken: ["(date(2026, 3, 3), 0.1),", "(date(2026, 3, 4), 0.1),"],
        added: "The chart is drawn on Mondays.\n",
    },
    Tale {
        language: "ko",
        asked: "24일은 왜 그대로 맞았지?",
        searched: "배터리",
        folder: "samples/ko/옥상-우량계",
        tag: "테스트 통과",
        broken: ["time <= before:", "time < before:"],
        added: "그래프는 월요일마다 새로 붙인다.\n",
    },
];

#[test]
#[ignore = "pictures, by make shots"]
fn the_sample_for_readme_and_guide() {
    let server = scripted(&[]);
    for tale in TALES {
        let start = Start::new(tale.language);
        start.silt().connect("scripted", &server.base_url(), "gpt-4o");
        let window = start.window();
        let shooter = Shooter::of(&window, tale.language, "light");
        dropped(&window, &shooter, &tale);
        window.control("button", "start:sample.title").click();
        wait("the sample", || (!window.turns().is_empty()).then_some(()));
        let tour = window.control("region", "talk:tour.label");
        tour.the("button", &window.word("talk:tour.close")).click();
        // By the window of this model everything would stand whole.
        window.set_number("summaries:page.threshold", "1000");
        window.dismiss();
        asked(&window, &shooter, &tale);
        searched(&window, &shooter, &tale);
        folded(&window, &shooter);
        restored(&window, &shooter, &tale);
    }
}

fn dropped(window: &Window, shooter: &Shooter<'_>, tale: &Tale) {
    let home = tempfile::Builder::new().prefix("ada-").tempdir().expect("a folder");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src-tauri/crates/app");
    let sample = sample.join(tale.folder);
    let name = name_of(&sample);
    let dropped = home.path().join(&name);
    copy(&sample, &dropped);
    fs::rename(dropped.join("chart.py"), dropped.join(".env")).expect("a file for another");
    window.start_again(&dropped);
    window.the("dialog", &name);
    window.reads(".env");
    shooter.take("page-drop");
    window.dismiss();
}

/// Copies a folder with all that is in it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder of the sample") {
        let entry = entry.expect("something in it");
        let to = to.join(entry.file_name());
        match entry.path() {
            folder if folder.is_dir() => copy(&folder, &to),
            file => {
                fs::copy(file, &to).expect("a file of the sample");
                // What was just written may be written still.
                let copied = File::options().write(true).open(to).expect("what was copied");
                let hour = Duration::from_hours(1);
                copied.set_modified(SystemTime::now() - hour).expect("an older file");
            }
        }
    }
}

fn asked(window: &Window, shooter: &Shooter<'_>, tale: &Tale) {
    window.composer().type_text(tale.asked);
    if window.all("complementary", &window.word("context:label")).is_empty() {
        window.keys("Control+i");
    }
    let open =
        "const row = document.querySelector('[data-block] [data-kind=summary]')?.closest('button');
        if (row?.ariaExpanded === 'false') row.click();
        return row?.closest('[data-block]').querySelector('pre') != null";
    wait("the text of the summary", || (window.browser().run(open, vec![]) == true).then_some(()));
    // The message that was gone to is lit for a moment.
    let lit = "return document.querySelector('[data-found]') === null";
    wait("no light", || (window.browser().run(lit, vec![]) == true).then_some(()));
    shooter.take("page-request");
    window.composer();
    window.keys("Control+a");
    window.keys("Delete");
}

fn searched(window: &Window, shooter: &Shooter<'_>, tale: &Tale) {
    window.keys("Control+Shift+f");
    window.control("searchbox", "search:field").type_text(tale.searched);
    window.like("region", &format!("^{} ", window.word("search:kind.message")));
    window.like("region", &format!("^{} ", window.word("search:kind.file")));
    shooter.take("page-search");
    window.dismiss();
}

fn folded(window: &Window, shooter: &Shooter<'_>) {
    window.last_fold().click();
    let script = "return document.querySelector('[role=log] [role=region]') !== null";
    wait("the closed fold", || (window.browser().run(script, vec![]) == true).then_some(()));
    window.keys("Control+Shift+s");
    let list = window.word("summaries:list");
    wait("the card", || window.all("list", &list).into_iter().next().map(|_| ()));
    window.composer().click();
    shooter.take("page-summaries");
}

fn restored(window: &Window, shooter: &Shooter<'_>, tale: &Tale) {
    let project = window.data().join(tale.folder);
    checkpoint(window, tale.tag);
    change(&project, "rain.py", |text| text.replace(tale.broken[0], tale.broken[1]));
    change(&project, "README.md", |text| format!("{text}\n{}", tale.added));
    checkpoint(window, "");
    let close = "document.querySelectorAll('[data-toast] button').forEach((it) => it.click());
        return document.querySelector('[data-toast]') === null";
    wait("no news", || (window.browser().run(close, vec![]) == true).then_some(()));
    window.keys("Control+Shift+h");
    window.like("option", tale.tag).click();
    window.the("heading", tale.tag);
    window.control("button", "checkpoints:restore.open").click();
    window.like("button", "^rain.py").click();
    window.reads(tale.broken[1]);
    shooter.take("page-checkpoints");
    window.dismiss();
}

fn change(project: &Path, name: &str, to: impl Fn(String) -> String) {
    let path = project.join(name);
    let text = fs::read_to_string(&path).expect("a file of the sample");
    fs::write(&path, to(text)).expect("a file that may be written");
}
