//! Lists, settings, providers and projects.

use siltstone_engine::conversation::{ConversationFilter, ConversationPatch, TitleSource};
use siltstone_engine::ids::ProjectId;
use siltstone_engine::offers::{AgentCommand, OffersAt, Told};
use siltstone_engine::passage::{FileStamp, Passage};
use siltstone_engine::ports::{Passages, Records, StoreError, Transcripts};
use siltstone_engine::project::{Project, Trust};
use siltstone_engine::provider::{ProviderKind, ProviderRecord};
use siltstone_engine::settings::{Language, Settings};
use siltstone_engine::wish::{Wish, Wishes};
use siltstone_storage::Store;

use crate::it::finding::project;
use crate::it::support::{at, conversation, say, store};

#[test]
fn the_list_shows_what_has_something_to_show() {
    let (_dir, store) = store();
    let mut ids = Vec::new();
    for _ in 0..4 {
        let new = conversation(None);
        store.create_conversation(&new).unwrap();
        ids.push(new.id);
    }
    let [said, drafted, trashed, _empty] = ids[..] else { unreachable!() };
    say(&store, said, None, "hello", 10);
    let patch = ConversationPatch { draft: Some("half a".into()), ..Default::default() };
    store.update_conversation(drafted, &patch).unwrap();
    let patch = ConversationPatch {
        title: Some(("gone".into(), TitleSource::Person)),
        deleted_at: Some(Some(at(5))),
        ..Default::default()
    };
    store.update_conversation(trashed, &patch).unwrap();
    let listed = |trashed: bool| -> Vec<_> {
        let filter = ConversationFilter { project_id: None, trashed };
        store.conversations(&filter).unwrap().into_iter().map(|c| c.id).collect()
    };
    assert_eq!(listed(false), [said, drafted]);
    assert_eq!(listed(true), [trashed]);
    let pin = ConversationPatch { pinned: Some(true), ..Default::default() };
    store.update_conversation(drafted, &pin).unwrap();
    assert_eq!(listed(false), [drafted, said]);
    let restore = ConversationPatch { deleted_at: Some(None), ..Default::default() };
    store.update_conversation(trashed, &restore).unwrap();
    assert_eq!(listed(true), []);
}

#[test]
fn a_patch_changes_what_it_names_and_nothing_else() {
    let (_dir, store) = store();
    let mut expected = conversation(None);
    store.create_conversation(&expected).unwrap();
    assert_eq!(store.conversation(expected.id).unwrap(), expected);
    let patch = ConversationPatch {
        title: Some(("이름".into(), TitleSource::Person)),
        model: Some(Some(("ollama".into(), "gemma".into()))),
        ..Default::default()
    };
    store.update_conversation(expected.id, &patch).unwrap();
    expected.title = "이름".into();
    expected.title_source = TitleSource::Person;
    (expected.provider, expected.model) = (Some("ollama".into()), Some("gemma".into()));
    assert_eq!(store.conversation(expected.id).unwrap(), expected);
    let patch = ConversationPatch { model: Some(None), ..Default::default() };
    store.update_conversation(expected.id, &patch).unwrap();
    (expected.provider, expected.model) = (None, None);
    assert_eq!(store.conversation(expected.id).unwrap(), expected);
    let absent = conversation(None).id;
    let missing = store.update_conversation(absent, &patch);
    assert!(matches!(missing, Err(StoreError::NotFound { what: "conversation", .. })));
}

#[test]
fn of_wishes_made_at_once_none_is_lost() {
    let (dir, store) = store();
    let id = conversation(None).id;
    let missing = store.change_wishes(id, &mut |_| unreachable!());
    assert!(matches!(missing, Err(StoreError::NotFound { what: "conversation", .. })));
    let new = conversation(None);
    store.create_conversation(&new).unwrap();
    let names: Vec<String> = (0..40).map(|at| format!("memory:{at}.md")).collect();
    std::thread::scope(|scope| {
        for names in names.chunks(10) {
            let (id, data) = (new.id, dir.path());
            scope.spawn(move || {
                // As another process has it.
                let store = Store::open(data, at(0)).unwrap();
                for name in names {
                    let mut pin = |wishes: &mut Wishes| {
                        wishes.set(name.clone(), name.clone(), Some(Wish::Pinned)).unwrap();
                    };
                    store.change_wishes(id, &mut pin).unwrap();
                }
            });
        }
    });
    let wishes = store.conversation(new.id).unwrap().wishes;
    assert!(names.iter().all(|name| wishes.pins(name)), "{wishes:?}");
}

#[test]
fn a_project_is_one_path_and_can_be_forgotten() {
    let (_dir, store) = store();
    let mut project = Project {
        id: ProjectId::new(at(0)),
        path: "/home/미나/repo".into(),
        name: "repo".into(),
        trust: Trust::Untrusted,
        this_computer_only: true,
        exclude: vec![String::from("*.sql"), String::from("/private")],
        identity: Some("2a made 7".into()),
        opened_at: at(1),
        copy: None,
    };
    store.put_project(&project).unwrap();
    project.opened_at = at(2);
    project.trust = Trust::Trusted;
    let again = Project { id: ProjectId::new(at(9)), ..project.clone() };
    store.put_project(&again).unwrap();
    assert_eq!(store.project_at(&project.path).unwrap(), Some(project.clone()), "keeps its id");
    store.set_trust(project.id, Trust::Untrusted).unwrap();
    assert_eq!(store.project(project.id).unwrap().trust, Trust::Untrusted);
    let inside = conversation(Some(project.id));
    store.create_conversation(&inside).unwrap();
    say(&store, inside.id, None, "in the project", 3);
    let stamp = FileStamp { path: "a.md".into(), size: 1, modified_ns: 1 };
    let passage = Passage { path: "a.md".into(), line: 1, text: "granite".into() };
    store.put_files(project.id, &[(stamp, vec![passage])]).unwrap();
    let filter = ConversationFilter { project_id: Some(project.id), trashed: false };
    assert_eq!(store.conversations(&filter).unwrap().len(), 1);
    store.forget_project(project.id).unwrap();
    assert_eq!(store.projects().unwrap(), vec![]);
    assert_eq!(store.conversation(inside.id).unwrap().project_id, None);
    assert_eq!(store.stamps(project.id).unwrap(), vec![]);
    assert_eq!(store.find(project.id, "granite", 5).unwrap(), vec![]);
}

#[test]
fn settings_and_providers_come_back() {
    let (dir, store) = store();
    assert_eq!(store.settings().unwrap(), Settings::default());
    let mut settings = Settings { language: Language::Ko, zoom: 125, ..Settings::default() };
    settings.keys.insert("chat.send".into(), "Ctrl+Enter".into());
    store.put_settings(&settings).unwrap();
    let record = |name: &str, url: &str| ProviderRecord {
        name: name.into(),
        kind: ProviderKind::Openai,
        base_url: url.into(),
    };
    store.put_provider(&record("b", "http://127.0.0.1:2/v1")).unwrap();
    store.put_provider(&record("a", "http://127.0.0.1:1/v1")).unwrap();
    store.put_provider(&record("b", "http://127.0.0.1:3/v1")).unwrap();
    drop(store);
    let store = Store::open(dir.path(), at(1)).unwrap();
    assert_eq!(store.settings().unwrap(), settings);
    let all = [record("a", "http://127.0.0.1:1/v1"), record("b", "http://127.0.0.1:3/v1")];
    assert_eq!(store.providers().unwrap(), all);
    // What an agent offers is kept, by place, until it is another one.
    let said = |name: &str, project_id| {
        let (name, about) = (name.to_owned(), "x".to_owned());
        let commands = Some(vec![AgentCommand { name, about, hint: String::new() }]);
        OffersAt { project_id, told: Told { commands, modes: None } }
    };
    let there = project(&store, "/p", Trust::Trusted);
    let b = record("b", "http://127.0.0.1:3/v1");
    for offers in [said("old", None), said("review", None), said("deploy", Some(there))] {
        store.put_offers(&b, &offers).unwrap();
    }
    let known = store.offers("b").unwrap();
    assert_eq!(known.len(), 2);
    let at = |place| known.iter().find(|it| it.project_id == place).cloned();
    assert_eq!(at(None), Some(said("review", None)));
    assert_eq!(at(Some(there)), Some(said("deploy", Some(there))));
    // One that is gone, or another one by now, says nothing.
    for gone in [record("nobody", "x"), record("b", "http://127.0.0.1:9/v1")] {
        store.put_offers(&gone, &said("late", Some(there))).unwrap();
    }
    assert_eq!(store.offers("nobody").unwrap(), []);
    assert_eq!(store.offers("b").unwrap(), known);
    store.forget_project(there).unwrap();
    assert_eq!(store.offers("b").unwrap().len(), 1);
    store.put_provider(&record("b", "http://127.0.0.1:4/v1")).unwrap();
    assert_eq!(store.offers("b").unwrap(), []);
    assert!(store.remove_provider("a").unwrap());
    assert!(!store.remove_provider("a").unwrap());
}

#[test]
fn every_commit_of_another_process_is_noticed_and_none_of_our_own() {
    let (dir, store) = store();
    let other = Store::open(dir.path(), at(1)).unwrap();
    let start = store.data_version().unwrap();
    store.settings().unwrap();
    store.put_settings(&Settings::default()).unwrap();
    assert_eq!(store.data_version().unwrap(), start);
    other.put_settings(&Settings::default()).unwrap();
    assert_ne!(store.data_version().unwrap(), start);
}
