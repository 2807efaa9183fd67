//! Agents that are asked like a model, as scripts use them: found, added, tested, asked, removed.

use std::fs;

use serde_json::Value;
use siltstone_test_servers::acp_agent;

use crate::desk::Desk;

/// A desk with a program on the `PATH` that is known by its name.
#[cfg(unix)]
fn with_agent(name: &str) -> (Desk, String) {
    use std::os::unix::fs::PermissionsExt;

    let desk = Desk::trusted();
    let folder = desk.data.path().join("programs");
    fs::create_dir_all(&folder).unwrap();
    let script = format!("#!/bin/sh\nexec {}\n", acp_agent(&["--models", "big,small"]).unwrap());
    fs::write(folder.join(name), script).unwrap();
    fs::set_permissions(folder.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", folder.display());
    (desk, path)
}

#[cfg(unix)]
#[test]
fn an_agent_of_this_computer_is_added_by_its_name_and_does_what_is_asked() {
    let (desk, path) = with_agent("claude-agent-acp");
    let silt = |args: &[&str]| {
        let ran = desk.command(args).env("PATH", &path).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (ran.status.code(), text(ran.stdout), text(ran.stderr))
    };
    let (_, found, _) = silt(&["agent", "list"]);
    assert_eq!(found.trim(), "+ Claude Code  claude-agent-acp");
    let (_, added, said) = silt(&["agent", "add", "claude code"]);
    assert_eq!(added.trim(), "claude code  claude-agent-acp");
    assert!(said.contains("silt chat --provider \"claude code\""), "{said}");
    let (_, models, _) = silt(&["agent", "test", "claude code"]);
    let models: Vec<&str> = models.lines().filter_map(|it| it.split("  ").next()).collect();
    assert_eq!(models, ["default", "big", "small"]);

    let question = "say Now.\nedit docs/new.md made\\n";
    let (code, reply, said) = silt(&["chat", "--provider", "claude code", question]);
    assert_eq!(code, Some(0), "{said}");
    assert!(reply.contains("Now.") && said.contains("claude code: edit Edit docs/new.md: refused"));
    assert!(!desk.project.path().join("docs/new.md").exists());
    let allowed = ["chat", "--provider", "claude code", "--allow", "claude code: edit", question];
    let (code, _, said) = silt(&allowed);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(said.matches("claude code: edit Edit docs/new.md: done").count(), 1, "{said}");
    assert_eq!(fs::read_to_string(desk.project.path().join("docs/new.md")).unwrap(), "made\n");
    // What left is the prompt, whole.
    let left = desk.json(&["egress", "list"]);
    assert!(left.to_string().contains("\"ACP\""), "{left}");

    let (_, removed, _) = silt(&["--json", "agent", "remove", "claude code"]);
    assert!(serde_json::from_str::<Value>(&removed).is_ok(), "{removed}");
    assert_eq!(desk.json(&["agent", "list"])["agents"], serde_json::json!([]));
}

#[test]
fn what_is_no_agent_is_told_in_both_languages() {
    let desk = Desk::trusted();
    let unknown = desk.silt(&["agent", "test", "nobody"]);
    assert!(unknown.code == Some(1) && unknown.err.contains("silt agent list"), "{}", unknown.err);
    let unknown = desk.silt(&["--lang", "ko", "agent", "add", "nobody"]);
    assert!(unknown.err.contains("시작하는 명령을 알려 주세요"), "{}", unknown.err);
    let open = desk.silt(&["agent", "add", "mine", "'open"]);
    assert!(open.code == Some(1) && open.err.contains("a quote may be open"), "{}", open.err);
    desk.json(&["agent", "add", "mine", &acp_agent(&["--login"]).unwrap()]);
    for (lang, said) in [("en", "log in there"), ("ko", "로그인해야 합니다")] {
        let login = desk.silt(&["--lang", lang, "agent", "test", "mine"]);
        assert!(login.code == Some(1) && login.err.contains(said), "{}", login.err);
    }
    // A provider that is none is not removed as one.
    let base_url = "http://127.0.0.1:9/v1";
    let provider =
        ["provider", "add", "--kind", "openai", "--name", "here", "--base-url", base_url];
    desk.json(&provider);
    assert_eq!(desk.silt(&["agent", "remove", "here"]).code, Some(1));
}
