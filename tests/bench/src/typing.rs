//! A key press in a longer and longer history: the request is composed anew at each, and shown. What the whole path said
//! is read once before, beside everything else, as it is in the window.

use siltstone_app::App;
use siltstone_contract::Topic;

use crate::Outcome;
use crate::history::{Folder, previewed};
use crate::measure::{RUNS, median, ratio, shown};
use crate::sizes::thousands;

/// What is typed, letter by letter, after a number that makes each text another one.
const TYPED: [(&str, &str); 3] = [
    ("words that were never said", "Quokkas wander."),
    ("a word that every tenth message says", "ownership again"),
    ("three words that thousands of messages say", "컴포넌트 상태 refresh"),
];

/// Messages that the first request reads itself.
const WAITED_FOR: usize = 2_048;

/// The table, and how much longer a key press takes in the others than in the first.
pub async fn measure(histories: [usize; 3]) -> Outcome<String> {
    let mut rows = TYPED.map(|(name, _)| (name, Vec::new()));
    for messages in histories {
        let folder = Folder::found(messages)?;
        let app = folder.app();
        read_once(&app, &folder, messages).await?;
        for ((_, text), (_, medians)) in TYPED.iter().zip(&mut rows) {
            let mut samples = Vec::new();
            for run in 1..=RUNS {
                let letters = text.chars().count() * run / RUNS;
                let typed: String = text.chars().take(letters).collect();
                let draft = format!("{typed} {run}");
                samples.push(previewed(&app, folder.conversation, draft).await?);
            }
            medians.push(median(&samples));
        }
    }
    let [first, second, third] = histories.map(thousands);
    let mut out = format!(
        "### The request at a key press, in a longer and longer history\n\n\
         | what is typed | {first} | {second} | | {third} | |\n|---|---|---|---|---|---|\n"
    );
    for (name, medians) in rows {
        let beside = |time| ratio(medians[0], time);
        let [first, second, third] = [medians[0], medians[1], medians[2]];
        out.push_str(&format!(
            "| {name} | {} | {} | {} | {} | {} |\n",
            shown(first),
            shown(second),
            beside(second),
            shown(third),
            beside(third)
        ));
    }
    out.push('\n');
    Ok(out)
}

/// Waits until what the path said is read, where a request does not wait for that itself.
async fn read_once(app: &App, folder: &Folder, messages: usize) -> Outcome<()> {
    let id = folder.conversation;
    let mut changes = app.subscribe();
    previewed(app, id, "Hello".into()).await?;
    let said = Topic::Conversation { id };
    while messages > WAITED_FOR && !changes.recv().await?.topics.contains(&said) {}
    Ok(())
}
