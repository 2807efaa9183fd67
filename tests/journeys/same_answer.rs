//! A plan of a restore that is asked and carried out again: what a person changed unseen stays theirs.

use std::fs;

use siltstone_contract::{PathChoice, PathOutcome, RestorePlan};
use siltstone_engine::checkpoint::{Action, Why};
use siltstone_engine::project::Trust;

use crate::checkpoints::{FILES, create, plan, restore, undo};
use crate::world::{Journey, write};

/// What a restore took to guard itself has not been seen by anybody: the same plan says the same, and the person's edit
/// stays however often it is carried out, also after they had it overwritten, or merged it, and took that back.
#[tokio::test]
async fn a_plan_gives_the_same_answer_however_often_it_is_asked_and_carried_out() {
    let journey = Journey::offline();
    let project = journey.open(Trust::Trusted).await;
    let app = &journey.app;
    let read = |name: &str| fs::read_to_string(journey.project.path().join(name)).ok();
    for name in ["ours", "edited"] {
        write(&journey.project, name, "one\ntwo\nthree\n");
    }
    let then = create(app, project, None, None).await.id;
    write(&journey.project, "ours", "later\n");
    create(app, project, None, None).await;
    write(&journey.project, "edited", "one\ntwo\nthree\nmine\n");
    write(&journey.project, "new", "mine too\n");
    let answers = |plan: &RestorePlan| -> Vec<(String, Action, Why)> {
        plan.files.iter().map(|file| (file.path.clone(), file.action, file.why)).collect()
    };
    let planned = plan(app, then, FILES).await;
    let edited = ("edited".to_owned(), Action::Conflict, Why::ChangedOutside);
    let new = ("new".to_owned(), Action::Skip, Why::NotOurs);
    let ours = ("ours".to_owned(), Action::Overwrite, Why::Kept);
    assert_eq!(answers(&planned), [edited.clone(), new.clone(), ours.clone()]);
    assert_eq!(restore(app, &planned, Vec::new()).await.kept, 2);
    for _ in 0..10 {
        let planned = plan(app, then, FILES).await;
        assert_eq!(answers(&planned), [edited.clone(), new.clone()]);
        assert_eq!(restore(app, &planned, Vec::new()).await.done, 0);
    }
    assert_eq!(read("edited").unwrap(), "one\ntwo\nthree\nmine\n");
    assert_eq!(read("new").unwrap(), "mine too\n");

    // As the person says, and back: it is theirs as before, and so is what they merged.
    let overwrite = |index| PathChoice { index, choice: PathOutcome::Overwrite };
    let planned = plan(app, then, FILES).await;
    restore(app, &planned, vec![overwrite(0), overwrite(1)]).await;
    assert_eq!((read("edited").unwrap(), read("new")), ("one\ntwo\nthree\n".to_owned(), None));
    undo(app, project).await;
    assert_eq!(read("new").unwrap(), "mine too\n");
    let planned = plan(app, then, FILES).await;
    assert_eq!(answers(&planned), [edited.clone(), new.clone()]);
    let text = "of both\n".to_owned();
    let merge = PathChoice { index: 0, choice: PathOutcome::Merge { text } };
    restore(app, &planned, vec![merge]).await;
    assert_eq!(answers(&plan(app, then, FILES).await), [edited.clone(), new.clone()]);
    undo(app, project).await;
    assert_eq!(read("edited").unwrap(), "one\ntwo\nthree\nmine\n");
    assert_eq!(answers(&plan(app, then, FILES).await), [edited, new.clone()]);

    // What a checkpoint of ordinary work saw may be written over, and Siltstone's own may always.
    create(app, project, None, None).await;
    let planned = plan(app, then, FILES).await;
    let seen = ("edited".to_owned(), Action::Overwrite, Why::Kept);
    assert_eq!(answers(&planned), [seen, new]);
    restore(app, &planned, Vec::new()).await;
    assert_eq!(read("edited").unwrap(), "one\ntwo\nthree\n");
}

/// There and back by *Undo* alone: a text that only the guards of restores hold is the person's as often as it comes back.
#[tokio::test]
async fn what_comes_back_by_undoing_an_undo_is_still_the_persons() {
    let journey = Journey::offline();
    let project = journey.open(Trust::Trusted).await;
    let app = &journey.app;
    let read = || fs::read_to_string(journey.project.path().join("a")).unwrap();
    let empty = create(app, project, None, None).await.id;
    write(&journey.project, "a", "unseen\n");
    assert_eq!(restore(app, &plan(app, empty, FILES).await, Vec::new()).await.kept, 1);
    write(&journey.project, "a", "seen\n");
    let seen = create(app, project, None, None).await.id;
    for text in ["unseen\n", "seen\n", "unseen\n"] {
        undo(app, project).await;
        assert_eq!(read(), text);
    }
    let planned = plan(app, seen, FILES).await;
    assert_eq!(
        (planned.files[0].action, planned.files[0].why),
        (Action::Conflict, Why::ChangedOutside)
    );
    restore(app, &planned, Vec::new()).await;
    assert_eq!(read(), "unseen\n");
}
