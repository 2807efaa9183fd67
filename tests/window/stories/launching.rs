//! The program as the desktop knows it: its entry is started as a menu starts it, and the file of a checkpoint opens with it
//! by a double click.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{Page, Start, Window, built, folder, wait};

/// Name of the entry, as the package installs it.
const ENTRY: &str = "Siltstone.desktop";

const KIND: &str = "application/vnd.siltstone.checkpoint";

/// A home of a desktop in which the program is installed as the package installs it, but for the place of the program.
struct Desktop(tempfile::TempDir);

impl Desktop {
    fn with_siltstone() -> Self {
        let root = tempfile::tempdir().expect("a folder");
        let icons = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../icons");
        let template = fs::read_to_string(icons.join("siltstone.desktop")).expect("the template");
        let program = built("siltstone").display().to_string();
        let entry = template
            .replace("{{name}}", "Siltstone")
            .replace("{{comment}}", "A workbench")
            .replace("{{exec}}", &program)
            .replace("{{icon}}", "siltstone")
            .replace("{{categories}}", "Development;");
        assert!(!entry.contains("{{"), "nothing is left to be filled in: {entry}");
        let put = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        };
        put(&format!("applications/{ENTRY}"), &entry);
        let kinds = fs::read_to_string(icons.join("siltstone.xml")).expect("the kinds of files");
        put("mime/packages/siltstone.xml", &kinds);
        let made = Command::new("update-mime-database").arg(root.path().join("mime")).status();
        assert!(made.expect("update-mime-database").success(), "the kinds of files are well said");
        Self(root)
    }

    fn entry(&self) -> PathBuf {
        self.0.path().join("applications").join(ENTRY)
    }

    /// What a desktop does, in a window's own surroundings.
    fn gio(&self, window: &Window, arguments: &[&str]) -> String {
        let mut gio = window.beside("gio");
        gio.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        gio.env("XDG_DATA_HOME", self.0.path())
            .env("XDG_CONFIG_HOME", self.0.path().join("config"));
        let done = gio.output().expect("gio");
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        assert!(
            done.status.success(),
            "gio {arguments:?}: {}",
            String::from_utf8_lossy(&done.stderr)
        );
        said
    }
}

#[test]
fn a_double_click_on_a_checkpoint_takes_it_into_a_project() {
    let project = folder::project();
    let start = Start::new("en").argument(project.path());
    start.silt().open_project(project.path());
    let window = start.window();
    window.composer();
    let at = project.path().display().to_string();
    let silt = |words: &[&str]| window.silt().ask(&[&["--project", &at], words].concat());
    silt(&["checkpoint", "create", "--tag", "by hand"]);
    let file = window.home().join("works on Monday.siltstone-checkpoint").display().to_string();
    silt(&["checkpoint", "export", "by hand", &file]);

    let desktop = Desktop::with_siltstone();
    let kind = desktop.gio(&window, &["info", "-a", "standard::content-type", &file]);
    assert!(kind.contains(KIND), "{kind}");
    desktop.gio(&window, &["mime", KIND, ENTRY]);
    desktop.gio(&window, &["open", &file]);
    let dialog = window.control("dialog", "checkpoints:file.import");
    assert!(dialog.text().contains("works on Monday.siltstone-checkpoint"), "{}", dialog.text());
    window.shoot("story-launching-checkpoint");
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on the dialog");
    dialog.the("button", &window.word("checkpoints:file.take")).click();
    wait("the checkpoint", || {
        silt(&["checkpoint", "list"]).to_string().contains("imported").then_some(())
    });
    window.gone("dialog", &window.word("checkpoints:file.import"));
}

#[test]
fn its_entry_in_the_menu_opens_a_folder_with_it() {
    let first = folder::project();
    let second = folder::project();
    let start = Start::new("ko").argument(first.path());
    start.silt().open_project(first.path());
    let window = start.window();
    window.composer();
    let desktop = Desktop::with_siltstone();
    let entry = desktop.entry().display().to_string();
    desktop.gio(&window, &["launch", &entry, &second.path().display().to_string()]);
    let name = second.path().file_name().expect("a name").to_string_lossy().into_owned();
    let sheet = window.the("dialog", &name);
    sheet.the("button", &window.word("drop:trust"));
}
