//! Language and theme change at once; the palette, the keys and the regions reach everything without a mouse.

use std::collections::HashSet;

use crate::support::{Page, Start, Window, folder, wait};

fn background(window: &Window) -> String {
    let colour =
        window.browser().run("return getComputedStyle(document.body).backgroundColor", vec![]);
    colour.as_str().unwrap_or_default().to_owned()
}

#[test]
fn language_and_theme_change_at_once_and_stay() {
    let mut window = Window::first("en");
    window.choose("theme", "light");
    let light = background(&window);
    window.choose("theme", "dark");
    wait("a dark page", || (background(&window) != light).then_some(()));
    window.shoot("story-settings-dark-en");
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on the settings, dark");
    window.choose("language", "korean");
    window.speaks("ko");
    window.control("dialog", "settings:title");
    window.shoot("story-settings-dark-ko");
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on the settings, Korean");
    window.dismiss();
    window.reads(&window.word("start:drop"));
    let dark = background(&window);
    window.close();
    window.reopen();
    window.reads(&window.word("start:drop"));
    wait("the dark page again", || (background(&window) == dark).then_some(()));
}

#[test]
fn the_palette_finds_by_letters_and_by_hangul_initials() {
    let mut window = Window::first("en");
    window.keys("Control+k");
    window.control("combobox", "palette:title").type_text("sett");
    wait("the first hit", || {
        let first = window.all_like("option", ".").into_iter().next()?;
        first.text().contains("Open settings").then_some(())
    });
    window.shoot("story-palette");
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on the palette");
    window.keys("Enter");
    window.control("dialog", "settings:title");
    window.choose("language", "korean");
    window.speaks("ko");
    window.dismiss();
    window.keys("Control+k");
    // The initials of 설정.
    window.control("combobox", "palette:title").type_text("ㅅㅈ");
    wait("설정", || {
        let found = window.all_like("option", "설정");
        (!found.is_empty()).then_some(())
    });
}

#[test]
fn everything_is_reached_with_the_keyboard() {
    let project = folder::project();
    let start = Start::new("ko").argument(project.path());
    start.silt().open_project(project.path());
    let window = start.window();
    window.composer();
    let place = || {
        window.browser().run(
            "const at = document.activeElement;
             const region = at.closest('[data-region]')?.getAttribute('aria-label') ?? null;
             return { region, composer: at.matches('textarea') }",
            vec![],
        )
    };
    let mut regions = HashSet::new();
    for _ in 0..6 {
        window.keys("F6");
        regions.insert(place()["region"].to_string());
    }
    for region in ["rail:label", "talk:label", "context:label"] {
        let name = format!("{:?}", window.word(region));
        assert!(regions.contains(&name), "F6 reaches {name}: {regions:?}");
    }
    // Tab goes through every control of the page and comes round again; each can be seen to have the focus.
    let mut names = Vec::new();
    for _ in 0..80 {
        window.keys("Tab");
        let at = window.browser().run(
            "const at = document.activeElement;
             if (at === document.body) return null;
             const style = getComputedStyle(at);
             const ringed = style.outlineStyle !== 'none' || style.boxShadow !== 'none' ||
               getComputedStyle(at.parentElement).outlineStyle !== 'none' ||
               getComputedStyle(at.parentElement).boxShadow !== 'none' ||
               at.matches('textarea, [tabindex=\"-1\"]');
             return [at.getAttribute('aria-label') ?? at.innerText.trim().slice(0, 40), ringed]",
            vec![],
        );
        let Some(name) = at[0].as_str() else { continue };
        assert_eq!(at[1], true, "{name} shows that it has the focus");
        names.push(name.to_owned());
        if names.len() > 8 && names.first() == names.last() {
            break;
        }
    }
    let distinct: HashSet<&String> = names.iter().collect();
    assert!(distinct.len() > 8, "Tab reaches the controls: {names:?}");
    assert!(names.contains(&window.word("chat:composer.label")), "and the composer: {names:?}");

    while place()["composer"] != true {
        window.keys("Tab");
    }
    window.type_text("리프레시 토큰의 수명은 며칠인가요?");
    window.keys("Enter");
    assert!(window.finished().text().contains("30일"));
    window.keys("Control+n");
    wait("an empty conversation with the focus in its composer", || {
        (window.turns().is_empty() && place()["composer"] == true).then_some(())
    });
    assert!(window.shows(&window.word("context:title")), "the context pane is open");
    window.keys("Control+i");
    window.gone("complementary", &window.word("context:label"));
}
