//! Copies of a project: what they begin with, what is taken over of them, and what stays when they are removed. Git is the
//! real one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use siltstone_contract::{
    CancelCopy, ChangesOf, CheckpointRef, Code, ConversationRef, CopyMade, CreateCopy, Failure,
    PathChoice, PathOutcome, PreviewRequest, ProjectRef, RestorePlan, Restored, ReviewChanges,
    RunRestore, Search, TakeBackChanges, TakenBackFile, TrustProject,
};
use siltstone_engine::checkpoint::{Action, CheckpointReason, Why};
use siltstone_engine::ids::{ConversationId, ProjectId};
use siltstone_engine::project::{Project, Trust};
use siltstone_engine::search::SearchScope;
use siltstone_test_servers::files::executable;

use crate::checkpoints::{self, FILES};
use crate::world::Journey;

const PORTS: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n";

/// A repository with something that is not committed, opened and trusted.
struct Desk {
    journey: Journey,
    root: PathBuf,
    id: ProjectId,
}

impl Desk {
    async fn of(repository: bool) -> Self {
        let journey = Journey::offline();
        let root = journey.project.path().canonicalize().unwrap().join("aurora");
        fs::create_dir(&root).unwrap();
        write(&root, "AGENTS.md", "# Rules\n\nNever break the public API.\n");
        write(&root, "ports.txt", PORTS);
        write(&root, ".gitignore", "target/\n");
        if repository {
            // Committed, and yet never brought along.
            write(&root, "server.key", "of the test");
            git(&root, &["init", "-q", "-b", "main"]);
            git(&root, &["add", "."]);
            git(&root, &["commit", "-q", "-m", "First"]);
        }
        write(&root, "ports.txt", &PORTS.replace("two", "2"));
        write(&root, "notes/new.md", "Not committed.\n");
        write(&root, "target/built", "a binary");
        write(&root, ".env", "SECRET_TOKEN=do-not-read-me\n");
        let id = journey.open_at(&root).await;
        Self { journey, root, id }
    }

    async fn make(&self, name: &str, worktree: bool) -> Result<Project, Failure> {
        self.making(name, worktree, |_| ()).await
    }

    async fn making(
        &self,
        name: &str,
        worktree: bool,
        told: impl Fn(CopyMade) + Send + Sync + 'static,
    ) -> Result<Project, Failure> {
        let request =
            CreateCopy { making_id: "it".into(), project_id: self.id, name: name.into(), worktree };
        self.journey.app.copy_create(request, Arc::new(told)).await
    }

    async fn plan(&self, copy: &Project) -> RestorePlan {
        self.journey.app.copy_plan(ProjectRef { id: copy.id }).await.unwrap()
    }

    async fn merge(&self, plan: &RestorePlan, choices: Vec<PathChoice>) -> Restored {
        let run = RunRestore { plan_id: plan.plan_id, choices };
        self.journey.app.checkpoint_restore(run).await.unwrap()
    }

    /// What the next request would say.
    async fn shown(&self, conversation_id: ConversationId) -> String {
        let request =
            PreviewRequest { conversation_id, draft: "Go on.".into(), context: None, model: None };
        let view = self.journey.app.request_preview(request).await.unwrap();
        view.sections.into_iter().map(|section| section.text).collect::<Vec<_>>().join("\n")
    }

    async fn projects(&self) -> Vec<Project> {
        self.journey.app.project_list(()).await.unwrap()
    }
}

fn git(root: &Path, arguments: &[&str]) -> String {
    let who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
    let done = Command::new("git").args(who).args(arguments).current_dir(root).output().unwrap();
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap().trim_end().to_owned()
}

fn write(root: &Path, path: &str, text: &str) {
    let file = root.join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

fn read(root: impl AsRef<Path>, path: &str) -> Option<String> {
    fs::read_to_string(root.as_ref().join(path)).ok()
}

fn files(plan: &RestorePlan) -> Vec<(&str, Action, Why)> {
    plan.files.iter().map(|file| (file.path.as_str(), file.action, file.why)).collect()
}

#[tokio::test]
async fn a_worktree_begins_with_what_is_not_committed_and_with_what_was_agreed_to() {
    let desk = Desk::of(true).await;
    let app = &desk.journey.app;
    let place = app.copy_place(ProjectRef { id: desk.id }).await.unwrap();
    assert!(place.worktree);
    assert_eq!(Path::new(&place.beside), desk.root.parent().unwrap());
    // What the repository would run on a checkout is not run.
    let ran = desk.root.with_file_name("ran");
    let touch = format!("touch {}; cat", ran.display());
    write(&desk.root, ".git/hooks/post-checkout", &format!("#!/bin/sh\n{touch}\n"));
    let hook = desk.root.join(".git/hooks/post-checkout");
    executable(&hook).unwrap();
    for (set, to) in [("smudge", touch.as_str()), ("clean", &touch), ("required", "true")] {
        git(&desk.root, &["config", &format!("filter.a.b.{set}"), to]);
    }
    git(&desk.root, &["config", "core.fsmonitor", &touch]);
    write(&desk.root, ".git/info/attributes", "*.md filter=a.b\n");

    let told: Arc<Mutex<Vec<CopyMade>>> = Arc::default();
    let into = told.clone();
    let copy = desk.making("Claude Code", true, move |it| into.lock().unwrap().push(it)).await;
    let copy = copy.unwrap();
    assert_eq!((copy.name.as_str(), copy.trust), ("aurora-claude-code", Trust::Trusted));
    assert_eq!(Path::new(&copy.path), desk.root.with_file_name("aurora-claude-code"));
    let of = copy.copy.clone().unwrap();
    assert_eq!((of.project, of.branch.as_deref()), (desk.id, Some("siltstone/claude-code")));
    assert_eq!(of.name, "Claude Code");
    let last = *told.lock().unwrap().last().unwrap();
    assert_eq!((last.done, last.total), (4, 4));

    let at = Path::new(&copy.path);
    assert_eq!(read(at, "ports.txt"), Some(PORTS.replace("two", "2")));
    assert_eq!(read(at, "notes/new.md").as_deref(), Some("Not committed.\n"));
    assert_eq!((read(at, "target/built"), read(at, ".env")), (None, None));
    assert_eq!(read(at, "server.key"), None);
    assert!(!ran.exists());
    git(&desk.root, &["config", "--unset", "core.fsmonitor"]);
    git(&desk.root, &["config", "--remove-section", "filter.a.b"]);
    assert_eq!(git(at, &["branch", "--show-current"]), "siltstone/claude-code");
    assert_eq!(git(at, &["rev-parse", "HEAD"]), git(&desk.root, &["rev-parse", "HEAD"]));
    assert_eq!(git(at, &["status", "--porcelain"]), " M ports.txt\n?? notes/");

    // Nothing is asked again that was answered for the project.
    let changes = app.memory_changes(ProjectRef { id: copy.id }).await.unwrap();
    assert!(changes.is_empty(), "{changes:?}");
    let id = desk.journey.conversation(Some(copy.id)).await;
    let shown = desk.shown(id).await;
    assert!(shown.contains("Never break the public API."), "{shown}");

    // A second one of the name is another folder and another branch.
    let second = desk.make("claude code", true).await.unwrap();
    assert_eq!(second.name, "aurora-claude-code-2");
    assert_eq!(
        git(Path::new(&second.path), &["branch", "--show-current"]),
        "siltstone/claude-code-2"
    );
}

#[tokio::test]
async fn what_was_changed_in_a_copy_is_taken_over_and_taken_back() {
    let desk = Desk::of(true).await;
    let app = &desk.journey.app;
    let copy = desk.make("codex", true).await.unwrap();
    let there = PathBuf::from(&copy.path);
    assert!(desk.plan(&copy).await.files.is_empty());

    write(&there, "ports.txt", &PORTS.replace("two", "2").replace("eight", "8"));
    write(&there, "src/new.rs", "fn new() {}\n");
    fs::remove_file(there.join("notes/new.md")).unwrap();
    write(&there, "AGENTS.md", "# Rules\n\nBreak it.\n");
    // Meanwhile here: another place of one file, and the same place of another one.
    let here = PORTS.replace("two", "2").replace("one", "1");
    write(&desk.root, "ports.txt", &here);
    write(&desk.root, "AGENTS.md", "# Rules\n\nKeep it.\n");
    write(&desk.root, "own.txt", "only here");

    let changes = app.changes_get(ChangesOf::Copy { id: copy.id }).await.unwrap();
    let paths: Vec<&str> = changes.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["AGENTS.md", "notes/new.md", "ports.txt", "src/new.rs"]);
    let plan = desk.plan(&copy).await;
    assert_eq!(
        files(&plan),
        [
            ("AGENTS.md", Action::Conflict, Why::Apart),
            ("notes/new.md", Action::Delete, Why::Copied),
            ("ports.txt", Action::Overwrite, Why::Both),
            ("src/new.rs", Action::Create, Why::Copied),
        ]
    );
    assert_eq!(read(&desk.root, "ports.txt"), Some(here.clone()), "nothing is done yet");
    let restored = desk.merge(&plan, Vec::new()).await;
    assert_eq!((restored.done, restored.kept, restored.failed.len()), (3, 1, 0));
    assert_eq!(read(&desk.root, "ports.txt"), Some(here.replace("eight", "8")));
    assert_eq!(read(&desk.root, "src/new.rs").as_deref(), Some("fn new() {}\n"));
    assert_eq!(read(&desk.root, "notes/new.md"), None);
    assert_eq!(read(&desk.root, "AGENTS.md").as_deref(), Some("# Rules\n\nKeep it.\n"));
    assert_eq!(read(&desk.root, "own.txt").as_deref(), Some("only here"));
    // What is left is what nobody decided on.
    assert_eq!(files(&desk.plan(&copy).await), [("AGENTS.md", Action::Conflict, Why::Apart)]);

    // The next request says which files are other ones now.
    let id = desk.journey.conversation(Some(desk.id)).await;
    let shown = desk.shown(id).await;
    assert!(shown.contains("\"aurora-codex\", a copy of this project"), "{shown}");
    assert!(shown.contains("- src/new.rs"), "{shown}");

    app.checkpoint_undo(ProjectRef { id: desk.id }).await.unwrap();
    assert_eq!(read(&desk.root, "ports.txt"), Some(here.clone()));
    assert_eq!(read(&desk.root, "src/new.rs"), None);
    assert_eq!(read(&desk.root, "notes/new.md").as_deref(), Some("Not committed.\n"));

    // Once more, with a choice for each that is asked about and one that is not.
    let plan = desk.plan(&copy).await;
    assert_eq!(plan.files.len(), 4);
    let choice = |at: usize, choice| PathChoice { index: plan.files[at].index, choice };
    let choices = vec![choice(0, PathOutcome::Overwrite), choice(2, PathOutcome::Keep)];
    desk.merge(&plan, choices).await;
    assert_eq!(read(&desk.root, "AGENTS.md").as_deref(), Some("# Rules\n\nBreak it.\n"));
    assert_eq!(read(&desk.root, "ports.txt"), Some(here));
    // A rule that came this way is asked about as any that changed.
    let asked = app.memory_changes(ProjectRef { id: desk.id }).await.unwrap();
    assert_eq!(asked.iter().map(|it| it.path.as_str()).collect::<Vec<_>>(), ["AGENTS.md"]);
    // More work there, none here: no question.
    write(&there, "src/new.rs", "fn newer() {}\n");
    let plan = desk.plan(&copy).await;
    assert!(files(&plan).contains(&("src/new.rs", Action::Overwrite, Why::Copied)), "{plan:?}");
}

#[tokio::test]
async fn what_was_changed_in_a_copy_is_looked_at_and_taken_back_there() {
    let desk = Desk::of(false).await;
    let app = &desk.journey.app;
    assert!(!app.copy_place(ProjectRef { id: desk.id }).await.unwrap().worktree);
    let copy = desk.make("로그인 고치기", false).await.unwrap();
    let there = PathBuf::from(&copy.path);
    assert_eq!(copy.name, "aurora-로그인-고치기");
    assert_eq!(copy.copy.as_ref().unwrap().branch, None);
    let begun = PORTS.replace("two", "2");
    write(&there, "ports.txt", &begun.replace("one", "1").replace("eight", "8"));
    let of = ChangesOf::Copy { id: copy.id };
    let review = app.changes_review(ReviewChanges { of, path: None }).await.unwrap();
    let [file] = review.files.as_slice() else { panic!("{review:?}") };
    let back = TakenBackFile {
        path: file.file.path.clone(),
        seen: file.seen.clone(),
        pieces: Some(vec![0]),
    };
    app.changes_take_back(TakeBackChanges { of, files: vec![back] }).await.unwrap();
    assert_eq!(read(&there, "ports.txt"), Some(begun.replace("eight", "8")));
    desk.merge(&desk.plan(&copy).await, Vec::new()).await;
    assert_eq!(read(&desk.root, "ports.txt"), Some(begun.replace("eight", "8")));
}

#[tokio::test]
async fn what_a_copy_keeps_in_no_checkpoint_is_not_taken_for_deleted() {
    let desk = Desk::of(true).await;
    let copy = desk.make("codex", true).await.unwrap();
    let there = PathBuf::from(&copy.path);
    // It is there still, and git ignores it from now on.
    write(&there, ".gitignore", "target/\nports.txt\n");
    fs::remove_file(there.join("notes/new.md")).unwrap();
    let plan = desk.plan(&copy).await;
    assert_eq!(
        files(&plan),
        [
            (".gitignore", Action::Overwrite, Why::Copied),
            ("notes/new.md", Action::Delete, Why::Copied),
            ("ports.txt", Action::Skip, Why::Unknown),
        ]
    );
    desk.merge(&plan, Vec::new()).await;
    assert_eq!(read(&desk.root, "ports.txt"), Some(PORTS.replace("two", "2")));
    // With nothing to be done no way back is lost.
    let plan = desk.plan(&copy).await;
    let run = RunRestore { plan_id: plan.plan_id, choices: Vec::new() };
    let nothing = desk.journey.app.checkpoint_restore(run).await.unwrap_err();
    assert_eq!(nothing.code, Code::Conflict);
    desk.journey.app.checkpoint_undo(ProjectRef { id: desk.id }).await.unwrap();
    assert_eq!(read(&desk.root, "notes/new.md").as_deref(), Some("Not committed.\n"));
}

#[tokio::test]
async fn a_copy_whose_folder_is_gone_can_be_removed() {
    let desk = Desk::of(true).await;
    let app = &desk.journey.app;
    let copy = desk.make("codex", true).await.unwrap();
    fs::remove_dir_all(&copy.path).unwrap();
    let gone = app.copy_plan(ProjectRef { id: copy.id }).await;
    assert!(gone.is_err(), "it is not taken for a copy in which all was deleted: {gone:?}");
    let holds = app.copy_holds(ProjectRef { id: copy.id }).await.unwrap();
    assert_eq!((holds.unmerged, holds.lost.len()), (0, 0));
    let removed = app.copy_remove(ProjectRef { id: copy.id }).await.unwrap();
    assert_eq!((removed.kept, removed.rest), (None, None));
    assert_eq!(
        git(&desk.root, &["worktree", "list", "--porcelain"]).matches("worktree ").count(),
        1
    );
}

#[tokio::test]
async fn a_copy_that_is_removed_leaves_its_work_and_its_words() {
    let desk = Desk::of(true).await;
    let app = &desk.journey.app;
    let copy = desk.make("codex", true).await.unwrap();
    let there = PathBuf::from(&copy.path);
    write(&there, "src/new.rs", "fn new() {}\n");
    write(&there, ".env", "KEY=of-the-copy\n");
    let id = desk.journey.conversation(Some(copy.id)).await;
    desk.journey.ask(id, "Remember the tide table.").await;
    let holds = app.copy_holds(ProjectRef { id: copy.id }).await.unwrap();
    assert_eq!((holds.unmerged, holds.conversations), (1, 1));
    assert_eq!(holds.lost.iter().map(|it| it.path.as_str()).collect::<Vec<_>>(), [".env"]);
    assert_eq!(holds.branch.as_deref(), Some("siltstone/codex"));

    let removed = app.copy_remove(ProjectRef { id: copy.id }).await.unwrap();
    assert!(!there.exists());
    assert_eq!(removed.project_id, Some(desk.id));
    assert!(desk.projects().await.iter().all(|project| project.id != copy.id));
    let kept = app.checkpoint_get(CheckpointRef { id: removed.kept.unwrap() }).await.unwrap();
    let CheckpointReason::Copy { name, .. } = &kept.item.reason else { panic!("{kept:?}") };
    assert_eq!(name, "aurora-codex");
    // Its work can be had back out of that, and what was said is the project's.
    let plan = checkpoints::plan(app, kept.item.id, FILES).await;
    assert!(plan.files.iter().any(|it| it.path == "src/new.rs" && it.action == Action::Create));
    let detail = app.conversation_get(ConversationRef { id }).await.unwrap();
    assert_eq!(detail.item.project_id, Some(desk.id));
    let scope = SearchScope { project_id: Some(desk.id), conversation_id: None };
    let search = Search { query: "tide".into(), scope, limit: 5 };
    assert!(!app.search(search).await.unwrap().hits.is_empty(), "it is found there");
    assert_eq!(
        git(&desk.root, &["worktree", "list", "--porcelain"]).matches("worktree ").count(),
        1
    );
    assert_eq!(git(&desk.root, &["branch", "--list", "siltstone/codex"]).trim(), "siltstone/codex");
    // The branch is there still, so the next one of that name has another.
    let again = desk.make("codex", true).await.unwrap();
    assert_eq!(again.name, "aurora-codex-2");
}

#[tokio::test]
async fn a_copy_that_comes_to_nothing_leaves_nothing() {
    let desk = Desk::of(true).await;
    let app = desk.journey.app.clone();
    let beside = || {
        let names = fs::read_dir(desk.root.parent().unwrap()).unwrap();
        names.filter(|it| it.as_ref().unwrap().file_name() != "aurora").count()
    };
    let (before, stopping) = (beside(), app.clone());
    // Stopped as soon as it is heard of.
    let failure = desk
        .making("codex", true, move |_| {
            let cancel = stopping.copy_cancel(CancelCopy { making_id: "it".into() });
            futures_util::FutureExt::now_or_never(cancel).unwrap().unwrap();
        })
        .await
        .unwrap_err();
    assert_eq!(failure.code, Code::Cancelled);
    assert_eq!((beside(), desk.projects().await.len()), (before, 1));
    assert_eq!(git(&desk.root, &["branch", "--list", "siltstone/*"]), "");
    let trust = TrustProject { id: desk.id, trust: Trust::Untrusted };
    app.project_trust(trust).await.unwrap();
    assert_eq!(desk.make("codex", true).await.unwrap_err().code, Code::Conflict);
    assert_eq!(beside(), before);
    let none = app.copy_plan(ProjectRef { id: desk.id }).await.unwrap_err();
    assert_eq!(none.code, Code::BadRequest);
}
