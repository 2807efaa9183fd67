//! Backups in the settings: one is made, more is said, what going back would change is seen before it is done, and going
//! back is undone by the backup that was made before it.

use crate::support::{Page, Start, Window, wait};

impl Window {
    /// Goes back to the backup of the first row that says why it was made; gives what the plan said before.
    #[track_caller]
    fn goes_back_to(&self, why: &str, shot: Option<&str>) -> String {
        let page = self.settings("data");
        let list = page.the("list", &self.word("backups:title"));
        let why = self.word(&format!("backups:why.{why}"));
        let row = wait("the backup in the list", || {
            list.every("listitem").into_iter().find(|row| row.text().contains(&why))
        });
        row.first("button").click();
        let plan = self.control("dialog", "backups:confirm");
        // By its role: in Korean the word stands in the question too, before the plan is there.
        plan.the("term", &self.word("backups:then"));
        let said = plan.text();
        self.still();
        assert_eq!(self.axe(), Vec::<String>::new(), "axe on the plan");
        if let Some(shot) = shot {
            self.shoot(shot);
        }
        plan.the("button", &self.word("backups:restoreNow")).click();
        self.reads(&self.word("backups:restored"));
        said
    }
}

fn story(language: &'static str, first: &str, second: &str, other: &str) {
    let window = Start::new(language).window();
    window.just_talk();
    window.ask(first);
    let page = window.settings("data");
    page.the("button", &window.word("backups:make")).click();
    wait("the backup", || page.text().contains(&window.word("backups:why.asked")).then_some(()));
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on the list");
    window.shoot(&format!("story-backups-{language}"));
    window.dismiss();
    window.ask(second);
    window.new_conversation();
    window.ask(other);

    let plan = window.goes_back_to("asked", Some(&format!("story-backups-plan-{language}")));
    let shorter = window.phrase("backups:shorter", &[("now", "4"), ("then", "2")]);
    for line in [shorter.as_str(), first, other] {
        assert!(plan.contains(line), "the plan names {line}: {plan}");
    }
    window.open_conversation(first);
    assert_eq!(window.questions().len(), 1, "as it was when the backup was made");
    assert!(!window.shows(other), "a later conversation is gone");

    // The program goes on with what it went back to, and then takes it back.
    window.ask(second);
    window.goes_back_to("restore", None);
    wait("the later conversation", || window.shows(other).then_some(()));
    window.open_conversation(first);
    assert_eq!(window.questions().len(), 2);
}

#[test]
fn a_backup_is_made_and_gone_back_to_in_the_settings() {
    story("en", "Where does the heron stand?", "And where the crane?", "A talk of its own.");
    story("ko", "왜가리는 어디에 서 있나요?", "그럼 두루미는요?", "다른 이야기를 해요.");
}
