//! A first memory file, from what a project's folder shows. No model is asked, and nothing is guessed: every line names
//! something that is there.

use std::collections::BTreeMap;

use serde_json::Value;

/// Folders that are named.
const FOLDERS: usize = 8;

/// Scripts and targets that are worth naming, in this order.
const TASKS: [&str; 8] = ["build", "dev", "start", "check", "lint", "format", "fmt", "test"];

/// The text for a project of this name, with these files.
pub(super) fn draft(
    name: &str,
    paths: &[String],
    read: &dyn Fn(&str) -> Option<String>,
    language: &str,
) -> String {
    let pick = |en: &str, ko: &str| if language == "ko" { ko.to_owned() } else { en.to_owned() };
    let has = |path: &str| paths.iter().any(|known| known == path);
    let mut text = format!("# {name}\n");
    if let Some(about) =
        ["README.md", "readme.md", "README"].into_iter().find_map(|path| about(&read(path)?))
    {
        text.push_str(&format!("\n{about}\n"));
    }
    let commands = commands(&has, read);
    if !commands.is_empty() {
        text.push_str(&format!("\n## {}\n\n", pick("Commands", "명령")));
        commands.iter().for_each(|command| text.push_str(&format!("- `{command}`\n")));
    }
    let folders = folders(paths);
    if !folders.is_empty() {
        text.push_str(&format!("\n## {}\n\n", pick("Layout", "구조")));
        for (folder, files) in folders {
            let files = match (language, files) {
                ("ko", _) => format!("파일 {files}개"),
                (_, 1) => String::from("1 file"),
                _ => format!("{files} files"),
            };
            text.push_str(&format!("- `{folder}/`: {files}\n"));
        }
    }
    text
}

/// The first paragraph of a README that is prose.
fn about(readme: &str) -> Option<String> {
    let paragraphs = readme.split("\n\n").map(str::trim);
    let prose = |text: &&str| {
        let plain = text.chars().next().is_some_and(char::is_alphanumeric);
        plain
            && !text
                .lines()
                .nth(1)
                .is_some_and(|line| line.starts_with("===") || line.starts_with("---"))
    };
    let found = paragraphs.into_iter().find(prose)?;
    let lines: Vec<&str> = found.lines().take(4).map(str::trim).collect();
    Some(lines.join("\n"))
}

/// How the project is built and tested, as its own files say.
fn commands(has: &dyn Fn(&str) -> bool, read: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    let mut commands = Vec::new();
    if let Some(makefile) = read("Makefile") {
        let targets: Vec<&str> = makefile.lines().filter_map(target).collect();
        let named = TASKS.iter().filter(|task| targets.contains(task));
        commands.extend(named.map(|task| format!("make {task}")));
    }
    if let Some(package) =
        read("package.json").and_then(|text| serde_json::from_str::<Value>(&text).ok())
    {
        let runner = runner(has, &package);
        let scripts = package.get("scripts").and_then(Value::as_object);
        let named =
            TASKS.iter().filter(|task| scripts.is_some_and(|known| known.contains_key(**task)));
        commands.extend(named.map(|task| format!("{runner} run {task}")));
    }
    let known = [
        ("Cargo.toml", "cargo test"),
        ("go.mod", "go test ./..."),
        ("gradlew", "./gradlew test"),
        ("pom.xml", "mvn test"),
    ];
    commands.extend(known.into_iter().filter(|(file, _)| has(file)).map(|(_, it)| it.to_owned()));
    let python = read("pyproject.toml").unwrap_or_default();
    if python.contains("pytest") || has("pytest.ini") {
        commands.push(if has("uv.lock") { "uv run pytest" } else { "pytest" }.to_owned());
    }
    commands
}

/// The program that runs the scripts of `package.json`.
fn runner(has: &dyn Fn(&str) -> bool, package: &Value) -> String {
    let said = package.get("packageManager").and_then(Value::as_str);
    let said = said.and_then(|said| said.split('@').next()).filter(|name| !name.is_empty());
    let locks = [("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lock", "bun")];
    let locked = locks.into_iter().find(|(file, _)| has(file)).map(|(_, name)| name);
    said.or(locked).unwrap_or("npm").to_owned()
}

/// The target that a line of a Makefile defines.
fn target(line: &str) -> Option<&str> {
    let (name, rest) = line.split_once(':')?;
    (!rest.starts_with('=') && !name.starts_with(char::is_whitespace)).then(|| name.trim())
}

/// The largest folders of the root, by name.
fn folders(paths: &[String]) -> Vec<(&str, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (folder, _) in paths.iter().filter_map(|path| path.split_once('/')) {
        if !folder.starts_with('.') {
            *counts.entry(folder).or_default() += 1;
        }
    }
    let mut folders: Vec<(&str, usize)> = counts.into_iter().collect();
    folders.sort_by_key(|(_, files)| std::cmp::Reverse(*files));
    folders.truncate(FOLDERS);
    folders.sort_unstable();
    folders
}
