//! Asking without a model: true quotes, each with a link that leads to its line.

use std::path::Path;

use crate::support::{Page, Start, Window, folder, wait};

/// Every quote of the last reply, with the words of the link below it.
fn quotes(window: &Window) -> Vec<(String, String)> {
    let reply = window.finished();
    let found = reply.tell(
        "const blocks = [...arguments[0].querySelectorAll('blockquote, pre')];
         return blocks.map((block) => {
           let after = block.closest('figure, [data-code]') ?? block;
           while (after && !after.querySelector?.('[role=link]')) after = after.nextElementSibling;
           return [block.innerText.trim(), after?.querySelector('[role=link]')?.innerText ?? ''];
         })",
    );
    serde_json::from_value(found).expect("pairs of text")
}

fn is_in_file(folder: &Path, quote: &str, link: &str) -> bool {
    let (path, line) = link.rsplit_once(':').unwrap_or((link, "1"));
    let text = std::fs::read_to_string(folder.join(path)).unwrap_or_default();
    let from = line.parse::<usize>().unwrap_or(1) - 1;
    let rest: Vec<&str> = text.lines().skip(from).collect();
    let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    squeeze(&rest.join("\n")).starts_with(&squeeze(quote))
}

#[test]
fn asked_in_english_and_korean_it_quotes_truly_and_links_to_the_line() {
    let project = folder::project();
    let start = Start::new("en").argument(project.path());
    start.silt().open_project(project.path());
    let window = start.window();
    let asked = [
        ("Which port does the service listen on?", "The service listens on port 5433."),
        ("리프레시 토큰의 수명은 며칠인가요?", "리프레시 토큰의 수명은 30일입니다."),
        ("Where is rotate_refresh_token?", "pub fn rotate_refresh_token"),
    ];
    for (question, expected) in asked {
        let answer = window.ask(question);
        assert!(answer.contains(expected), "{question}: {answer}");
        let quotes = quotes(&window);
        assert!(!quotes.is_empty(), "{question}: there are quotes in {answer}");
        for (quote, link) in quotes {
            let from_file = is_in_file(project.path(), &quote, &link);
            let earlier = asked.iter().any(|(question, _)| quote.contains(question));
            assert!(from_file || earlier, "a true quote: “{quote}” at {link}");
        }
        let link = window.finished().first("link");
        let name = link.text();
        let (path, line) = name.rsplit_once(':').expect("a link names path and line");
        link.click();
        let viewer = window.the("dialog", path);
        let marked = wait("the marked line", || {
            let line =
                viewer.tell("return arguments[0].querySelector('[data-at]')?.innerText ?? null");
            // Text that is not laid out yet reads as nothing.
            line.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
        });
        let text = std::fs::read_to_string(project.path().join(path)).expect("the linked file");
        let number: usize = line.parse().expect("a line number");
        let line = text.lines().nth(number - 1).expect("the linked line");
        assert!(marked.contains(line.trim()), "the link leads to “{line}”, not to “{marked}”");
        window.keys("Escape");
        window.gone("dialog", path);
    }
    window.shoot("story-ask");
    assert_eq!(window.axe(), Vec::<String>::new(), "axe on a conversation");
}

#[test]
fn with_nothing_to_quote_it_says_so() {
    let window = Window::first("ko");
    window.just_talk();
    let answer = window.ask("내일 날씨는 어때?");
    assert!(answer.contains("연결된 모델이 없"), "it says that no model is connected: {answer}");
    assert_eq!(quotes(&window), Vec::new(), "nothing is quoted: {answer}");
}
