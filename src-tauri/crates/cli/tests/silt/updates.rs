//! `silt update` of a copy that is laid out as an AppImage is while it runs: the program, what came with it beside it, and the
//! one file that both are in.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use siltstone_test_servers::packages::{Answer, Maker};

use crate::desk::{Desk, Said, said};

const FILE: &str = "Siltstone_9.0.0_amd64.AppImage";

struct Copy {
    desk: Desk,
}

impl Copy {
    fn of(maker: Option<&Maker>) -> Self {
        let copy = Self { desk: Desk::new() };
        let usr = copy.within().join("usr");
        fs::create_dir_all(usr.join("bin")).unwrap();
        fs::create_dir_all(usr.join("lib/Siltstone")).unwrap();
        let silt = env!("CARGO_BIN_EXE_silt");
        if fs::hard_link(silt, usr.join("bin/silt")).is_err() {
            fs::copy(silt, usr.join("bin/silt")).unwrap();
        }
        if let Some(maker) = maker {
            maker.name_in(&usr.join("lib/Siltstone/updates.json")).unwrap();
        }
        fs::write(copy.file(), "the program as it is").unwrap();
        copy
    }

    fn within(&self) -> PathBuf {
        self.desk.data.path().canonicalize().unwrap().join("mounted")
    }

    fn file(&self) -> PathBuf {
        self.desk.data.path().join("Siltstone.AppImage")
    }

    fn command(&self, args: &[&str]) -> Command {
        let usual = self.desk.command(args);
        let mut command = Command::new(self.within().join("usr/bin/silt"));
        command.args(args).current_dir(self.desk.project.path());
        for (name, value) in usual.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.env("APPIMAGE", self.file()).env("APPDIR", self.within());
        command
    }

    fn silt(&self, args: &[&str]) -> Said {
        said(self.command(&[&["update"], args].concat()).output().unwrap())
    }

    fn json(&self, args: &[&str]) -> Value {
        let said = self.silt(&[args, &["--json"]].concat());
        assert_eq!(said.code, Some(0), "{args:?}: {}", said.err);
        serde_json::from_str(&said.out).unwrap()
    }
}

#[test]
fn a_newer_version_is_looked_for_fetched_and_installed() {
    let maker = Maker::start().unwrap();
    maker.publish("9.0.0", "appimage", FILE, b"the program as it will be").unwrap();
    let copy = Copy::of(Some(&maker));
    let status = copy.silt(&["status"]);
    assert_eq!(status.code, Some(0), "{}", status.err);
    assert!(
        status.out.contains("an AppImage") && status.out.contains(maker.address()),
        "{}",
        status.out
    );
    assert!(maker.asked().is_empty());
    let early = copy.silt(&["get"]);
    assert_eq!(early.code, Some(1));
    assert!(early.err.contains("silt update look"), "{}", early.err);

    let looked = copy.silt(&["look"]);
    assert_eq!(looked.code, Some(0), "{}", looked.err);
    let would = format!("would be downloaded: {}/{FILE} (25 bytes)", maker.address());
    assert!(looked.out.contains(&would) && looked.out.contains("  Safer."), "{}", looked.out);
    assert_eq!(maker.asked().len(), 1);
    let early = copy.silt(&["install", "--lang", "ko"]);
    assert!(early.err.contains("아직 내려받지 않았습니다"), "{}", early.err);

    assert_eq!(copy.json(&["get"])["fetched"], true);
    assert_eq!(fs::read_to_string(copy.file()).unwrap(), "the program as it is");
    let installed = copy.silt(&["install"]);
    assert!(installed.out.contains("Version 9.0.0 is installed"), "{}", installed.err);
    assert_eq!(fs::read_to_string(copy.file()).unwrap(), "the program as it will be");
    assert_eq!(copy.json(&["status"])["update"], Value::Null);
    let left = copy.desk.silt(&["egress", "list"]);
    assert!(left.out.contains(FILE) && left.out.contains("updates"), "{}", left.out);
}

#[test]
fn what_is_wrong_is_said_in_both_languages() {
    let maker = Maker::start().unwrap();
    maker.publish("9.0.0", "appimage", FILE, b"the program as it will be").unwrap();
    let copy = Copy::of(Some(&maker));
    copy.json(&["look"]);
    maker.put(&format!("/{FILE}"), Answer::Whole(b"the program as it may be!".to_vec()));
    let refused = copy.silt(&["get"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.err.contains("the signature does not fit"), "{}", refused.err);
    let refused = copy.silt(&["get", "--lang", "ko"]);
    assert!(refused.err.contains("서명이 맞지 않습니다"), "{}", refused.err);
    assert!(refused.err.contains("설치된 버전은 그대로입니다"), "{}", refused.err);
    assert_eq!(fs::read_to_string(copy.file()).unwrap(), "the program as it is");
}

#[test]
fn a_copy_that_names_nobody_says_so_and_asks_nobody() {
    let copy = Copy::of(None);
    let status = copy.silt(&["status"]);
    assert!(status.out.contains("names nobody who signs"), "{}", status.out);
    let refused = copy.silt(&["look"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.err.contains("names nobody who signs updates"), "{}", refused.err);
    // A program that another AppImage started is none itself.
    let other =
        said(copy.command(&["update", "status"]).env("APPDIR", "/elsewhere").output().unwrap());
    assert!(other.out.contains("not installed as a package"), "{}", other.out);
}
