//! Hangul typed through the system's own input method, on the real keyboard.

use crate::support::desktop::{Hangul, focus_window, press, shoot_screen};
use crate::support::{Page, Start, TITLE, picture, wait};

#[test]
fn hangul_is_drawn_while_composed_and_one_enter_sends_it_once() {
    let start = Start::new("ko").set("GTK_IM_MODULE", "ibus").set("GSETTINGS_BACKEND", "keyfile");
    let _hangul = Hangul::on(&start);
    let window = start.window();
    window.just_talk();
    focus_window(TITLE);
    window.composer().click();
    // The first key may come before the input method has the field.
    wait("the input method", || {
        press(&["g"]);
        let typed =
            wait("a letter", || Some(window.composer().value()).filter(|text| !text.is_empty()));
        press(&["BackSpace"]);
        wait("an empty composer", || window.composer().value().is_empty().then_some(()));
        (typed == "ㅎ").then_some(())
    });
    window.browser().run(
        "window.seen = [];
         for (const type of ['compositionstart', 'compositionupdate', 'compositionend', 'keydown'])
           document.addEventListener(type, (event) => window.seen.push([type, event.data ?? event.key]), true);",
        vec![],
    );
    // 한글 on the two-set keyboard; the last syllable is still being composed afterwards.
    press(&["g", "k", "s", "r", "m", "f"]);
    wait("composed Hangul", || (window.composer().value() == "한글").then_some(()));
    let seen = window.browser().run("return window.seen", vec![]).to_string();
    assert!(seen.contains("compositionupdate"), "it came through the input method: {seen}");
    assert!(!seen.contains("compositionend\",\"글"), "the last syllable is still composed: {seen}");
    window.still();
    shoot_screen(&picture("story-hangul"));
    press(&["Return"]);
    wait("the message", || (window.questions().len() == 1).then_some(()));
    window.finished();
    assert_eq!(window.composer().value(), "", "nothing is left in the composer");
    assert_eq!(window.questions().len(), 1, "sent once: {:?}", window.questions());
    assert_eq!(window.questions()[0].lines().next(), Some("한글"));
}
