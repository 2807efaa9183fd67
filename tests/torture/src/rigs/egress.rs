//! A whole run of the program, watched at the system calls: the only computer it speaks to is the provider that was
//! connected (safety.md, T22 and G19). A run with a second provider, which has to be seen, shows that the watch sees.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use crate::desk::{Desk, Said};
use crate::{Options, Outcome, Trouble, model};

/// What a run does, each with the words of `silt`; CONVERSATION stands for the id of what was said first.
const STEPS: [&[&str]; 14] = [
    &["chat", "--provider", "one", "--model", "m", "Which port does the server listen on?"],
    &["chat", "--conversation", "CONVERSATION", "And which one before that?"],
    &["provider", "discover"],
    &["provider", "models", "one"],
    &["summary", "run", "CONVERSATION", "--policy", "rolling"],
    &["checkpoint", "create", "--tag", "here"],
    &["checkpoint", "verify"],
    &["memory", "effective"],
    &["session", "show"],
    &["search", "port"],
    &["context", "preview", "--conversation", "CONVERSATION", "--draft", "What next?"],
    &["conversation", "export", "CONVERSATION", "--format", "json"],
    &["backup", "create"],
    &["sample", "open"],
];

/// Runs it.
pub fn run(options: &Options) -> Result<Outcome, Trouble> {
    let mut outcome = Outcome::default();
    for _ in 0..options.count(1, 5) {
        whole_run(&mut outcome)?;
    }
    Ok(outcome)
}

fn whole_run(outcome: &mut Outcome) -> Result<(), Trouble> {
    let desk = Desk::trusted()?;
    let url = model::start()?;
    let own = address(&url);
    desk.json(&["provider", "add", "--kind=openai", "--name=one", "--base-url", &url])?;
    desk.json(&["provider", "default", "one", "m"])?;
    let mut conversation = String::new();
    let mut seen = BTreeSet::new();
    for step in STEPS {
        let words: Vec<&str> = step
            .iter()
            .map(|word| if *word == "CONVERSATION" { conversation.as_str() } else { *word })
            .collect();
        let (said, reached) = watched(&desk, &words)?;
        outcome.count("commands", 1);
        // Servers on this computer are looked for where they usually listen, when a person asks for that alone.
        let looks = step.contains(&"discover");
        for address in reached {
            outcome.count("connections", 1);
            if address != own && !(looks && is_of_this_computer(&address)) {
                outcome.fail(format!("{step:?} spoke to {address}"));
            }
            seen.insert(address);
        }
        if said.code.is_none() || said.code == Some(2) {
            outcome.fail(format!("{step:?} did not run: {}", said.err));
        }
        if conversation.is_empty() {
            let first = said.out.lines().next().unwrap_or_default();
            let first: serde_json::Value = serde_json::from_str(first).unwrap_or_default();
            conversation = first["conversation_id"].as_str().unwrap_or_default().to_owned();
        }
    }
    if conversation.is_empty() || !seen.contains(&own) {
        outcome.fail("the run never reached its own provider");
    }
    // The control: another one is connected, asked, and seen.
    let other = model::start()?;
    desk.json(&["provider", "add", "--kind=openai", "--name=two", "--base-url", &other])?;
    let (_, reached) = watched(&desk, &["chat", "--provider", "two", "--model", "m", "Hello?"])?;
    let found = reached.contains(&address(&other));
    outcome.tried("controls", (!found).then(|| format!("the watch did not see {other}")));
    Ok(())
}

/// Runs `silt` and gives the addresses of networks that it, or anything it starts, connected or sent to.
fn watched(desk: &Desk, words: &[&str]) -> Result<(Said, BTreeSet<String>), Trouble> {
    let notes = desk.home().join("calls");
    let silt = desk.command(&[&["--json"], words].concat());
    let mut strace = Command::new("strace");
    strace
        .args(["-f", "-qq", "-s", "0", "-e", "trace=connect,sendto,sendmsg,sendmmsg", "-o"])
        .arg(&notes)
        .arg(silt.get_program())
        .args(silt.get_args())
        .current_dir(&desk.project)
        .stdin(Stdio::null());
    for (name, value) in silt.get_envs() {
        match value {
            Some(value) => strace.env(name, value),
            None => strace.env_remove(name),
        };
    }
    let said = strace.output()?.into();
    let calls = std::fs::read_to_string(&notes)?;
    Ok((said, calls.lines().filter_map(reached).collect()))
}

/// The address in a call: `{sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("127.0.0.1")}` and its like.
fn reached(call: &str) -> Option<String> {
    let (_, rest) = call.split_once("sa_family=AF_INET")?;
    let (_, port) = rest.split_once("htons(")?;
    let (port, rest) = port.split_once(')')?;
    let host = rest.split('"').nth(1)?;
    Some(format!("{host}:{port}"))
}

fn address(url: &str) -> String {
    url.trim_start_matches("http://").trim_end_matches("/v1").to_owned()
}

fn is_of_this_computer(address: &str) -> bool {
    address.starts_with("127.") || address.starts_with("::1:")
}
