//! Settings of random shapes: nothing of them changes but what is put in, and taking it out gives back every byte.

use proptest::prelude::*;
use rstest::rstest;
use siltstone_engine::client::SERVER;
use tempfile::TempDir;

use super::*;

fn home() -> (TempDir, Folders) {
    let home = TempDir::new().unwrap();
    let folders = Folders::of(Some(home.path().to_owned()), None);
    (home, folders)
}

fn blank() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "",
        "",
        " ",
        "\n",
        "\n  ",
        "\n\t",
        "\r\n    ",
        " /* a, } */ ",
        " // \"mcpServers\": {\n",
    ])
    .prop_map(str::to_owned)
}

/// A JSON value as somebody may have written it.
fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<i32>().prop_map(|number| number.to_string()),
        "[a-z가-힣{}\\[\\],: ]{0,8}".prop_map(|text| serde_json::json!(text).to_string()),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let name =
            prop::sample::select(vec!["a", "command", "mcpServers", "servers", "mcp", "b c"]);
        prop_oneof![
            prop::collection::vec((blank(), inner.clone()), 0..4).prop_map(|items| {
                let items = items.into_iter().map(|(blank, item)| blank + &item);
                format!("[{}]", items.collect::<Vec<_>>().join(","))
            }),
            (
                prop::collection::btree_map(name, (blank(), inner, blank()), 0..4),
                blank(),
                any::<bool>()
            )
                .prop_map(|(members, end, comma)| {
                    let comma = if comma && !members.is_empty() { "," } else { "" };
                    let members = members.into_iter().map(|(name, (before, value, between))| {
                        format!("{before}\"{name}\":{between}{value}")
                    });
                    format!("{{{}{comma}{end}}}", members.collect::<Vec<_>>().join(","))
                }),
        ]
    })
}

fn json_settings() -> impl Strategy<Value = String> {
    (blank(), value(), blank(), any::<bool>()).prop_map(|(above, value, below, marked)| {
        let mark = if marked { "\u{feff}" } else { "" };
        format!("{mark}{above}{value}{below}")
    })
}

fn toml_settings() -> impl Strategy<Value = String> {
    let lines = prop::sample::select(vec![
        "model = \"gpt\"",
        "# mcp_servers.siltstone",
        "",
        "[projects.\"/a b\"]",
        "trust = true",
        "[mcp_servers.other]",
        "args = [\n  1,\n]",
        "mcp_servers = 3",
        "[[list]]",
    ]);
    let ends = prop::sample::select(vec!["", "\n", "\r\n", "\n\n"]);
    (prop::collection::vec(lines, 0..6), prop::sample::select(vec!["\n", "\r\n"]), ends)
        .prop_map(|(lines, line, end)| lines.join(line) + end)
}

/// Puts the entry in and takes it out; whether the settings have a place for it.
fn there_and_back(client: Client, before: &str) -> bool {
    let editor = Editor::of(client);
    let Ok((named, after)) = editor.edit(Some(before), true) else { return false };
    if named == Named::Otherwise {
        return false;
    }
    let after = after.unwrap();
    let (named, again) = editor.edit(Some(&after), true).unwrap();
    assert_eq!((named, again.as_deref()), (Named::Yes, Some(after.as_str())), "put in twice");
    let (_, without) = editor.edit(Some(&after), false).unwrap();
    assert_eq!(without.as_deref(), Some(before), "taken out of {after:?}");
    // All that was there is there, in its order: the new text is one stretch.
    let head = before.bytes().zip(after.bytes()).take_while(|(one, other)| one == other).count();
    assert!(after.as_bytes().ends_with(&before.as_bytes()[head..]), "{before:?} became {after:?}");
    true
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_500))]

    #[test]
    fn json_is_given_back_to_the_byte(text in json_settings(), which in 0..4_usize) {
        let clients = [Client::ClaudeCode, Client::Vscode, Client::Opencode, Client::Cursor];
        there_and_back(clients[which], &text);
    }

    #[test]
    fn toml_is_given_back_to_the_byte(text in toml_settings()) {
        there_and_back(Client::Codex, &text);
    }
}

#[rstest]
#[case::nothing("")]
#[case::blank(" \n")]
#[case::empty("{}")]
#[case::in_a_line(r#"{"a": 1}"#)]
#[case::others("{\n\t\"mcpServers\": {\n\t\t\"x\": {}\n\t}\n}\n")]
#[case::no_others("{\n    \"mcpServers\": {}\n}\n")]
#[case::comments("// mine\n{\n  // \"siltstone\"\n  \"a\": 1, // last\n}\n")]
fn json_has_a_place_for_the_entry(#[case] before: &str) {
    assert!(there_and_back(Client::GeminiCli, before));
}

#[test]
fn the_entry_is_written_as_the_file_is() {
    let editor = Editor::of(Client::GeminiCli);
    let before = "{\n\t\"theme\": \"dark\"\n}\n";
    let (_, after) = editor.edit(Some(before), true).unwrap();
    let expected = "{\n\t\"mcpServers\": {\n\t\t\"siltstone\": {\n\t\t\t\"command\": \"silt\",\n\t\t\t\"args\": \
                    [\"mcp\", \"serve\"]\n\t\t}\n\t},\n\t\"theme\": \"dark\"\n}\n";
    assert_eq!(after.as_deref(), Some(expected));
    let (_, toml) = Editor::of(Client::Codex).edit(Some("model = \"x\"\n"), true).unwrap();
    let expected = "model = \"x\"\n\n[mcp_servers.siltstone]\ncommand = \"silt\"\nargs = [\"mcp\", \"serve\"]\n";
    assert_eq!(toml.as_deref(), Some(expected));
}

#[rstest]
#[case(Client::ClaudeCode, "[1]")]
#[case(Client::ClaudeCode, "{\"mcpServers\": 3}")]
#[case(Client::ClaudeCode, "{\"a\": 1")]
#[case(Client::ClaudeCode, "{\"mcpServers\": {}, \"mcpServers\": {}}")]
#[case(Client::Codex, "mcp_servers = 3")]
#[case(Client::Codex, "mcp_servers = { a = 1 }")]
#[case(Client::Codex, "a = ")]
fn what_has_no_place_for_it_is_refused(#[case] client: Client, #[case] text: &str) {
    assert!(Editor::of(client).edit(Some(text), true).is_err(), "{text}");
}

#[rstest]
#[case(Client::ClaudeCode, "{\"mcpServers\": {\"siltstone\": {\"command\": \"/opt/silt\"}}}")]
#[case(Client::Codex, "[mcp_servers.siltstone]\ncommand = \"silt\"\n")]
fn what_somebody_wrote_is_left_alone(#[case] client: Client, #[case] text: &str) {
    for wanted in [true, false] {
        let edited = Editor::of(client).edit(Some(text), wanted).unwrap();
        assert_eq!(edited, (Named::Otherwise, Some(text.to_owned())));
    }
}

#[test]
fn files_come_and_go_with_the_entry() {
    let (home, folders) = home();
    let project = TempDir::new().unwrap();
    let real = project.path().canonicalize().unwrap();
    let root = Some(real.to_str().unwrap());
    for client in Client::ALL.into_iter().filter(|it| *it != Client::Codex) {
        let file = folders.look(client, root, true).unwrap();
        assert_eq!((file.named, &file.before), (Named::No, &None));
        folders.change(root, &file).unwrap();
        let text = std::fs::read_to_string(&file.path).unwrap();
        assert!(text.contains(SERVER) && Some(text) == file.after);
        let file = folders.look(client, root, false).unwrap();
        assert_eq!((file.named, &file.after), (Named::Yes, &None));
        folders.change(root, &file).unwrap();
    }
    assert_eq!(std::fs::read_dir(project.path()).unwrap().count(), 0, "no file, no folder");
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
    let none = folders.look(Client::Cursor, None, true);
    assert!(matches!(none, Err(ClientError::NoProject { .. })));
}

#[test]
fn what_another_program_wrote_meanwhile_stays() {
    let project = TempDir::new().unwrap();
    let (_home, folders) = home();
    let real = project.path().canonicalize().unwrap();
    let (root, path) = (Some(real.to_str().unwrap()), real.join(".mcp.json"));
    std::fs::write(&path, "{}\n").unwrap();
    let file = folders.look(Client::ClaudeCode, root, true).unwrap();
    std::fs::write(&path, "{\"a\": 1}\n").unwrap();
    let changed = folders.change(root, &file);
    assert!(matches!(changed, Err(ClientError::Changed { .. })), "{changed:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"a\": 1}\n");
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_none_out_of_the_project() {
    use std::os::unix::fs::symlink;
    let (home, folders) = home();
    let place = |named: Option<&Path>| {
        let named = named.map(|it| it.as_os_str().to_owned());
        folders.place_of_own(Client::Codex, named, ".codex", "config.toml").unwrap()
    };
    std::fs::create_dir_all(home.path().join("dotfiles")).unwrap();
    std::fs::create_dir_all(home.path().join(".codex")).unwrap();
    let real = home.path().canonicalize().unwrap().join("dotfiles/codex.toml");
    std::fs::write(&real, "model = \"x\"\n").unwrap();
    symlink(&real, home.path().join(".codex/config.toml")).unwrap();
    let found = place(None);
    assert_eq!(found.path, real);
    found.write(Some("model = \"x\"\n"), Some("model = \"y\"\n")).unwrap();
    assert!(home.path().join(".codex/config.toml").is_symlink());
    assert_eq!(std::fs::read_to_string(&real).unwrap(), "model = \"y\"\n");
    assert_eq!(place(Some(Path::new("/elsewhere"))).path, Path::new("/elsewhere/config.toml"));

    let project = TempDir::new().unwrap();
    symlink(home.path(), project.path().join(".cursor")).unwrap();
    let root = project.path().canonicalize().unwrap();
    let out = folders.look(Client::Cursor, root.to_str(), true);
    assert!(matches!(out, Err(ClientError::Io { .. })), "{out:?}");
}
