//! A real language model on this computer, in the two wire formats that its server speaks.

use serde_json::json;

use crate::support::{Page, Window};

/// Sends a message, waits for the whole reply, and says how many lengths it was drawn with. The page itself counts: whoever
/// asks it from outside sees too few of them on a busy machine.
#[track_caller]
fn seen_growing(window: &Window, question: &str) -> u64 {
    let script = "window.lengths = new Set();
        window.counter ??= new MutationObserver(() => {
          const last = [...document.querySelectorAll('[role=log] [role=article]')].pop();
          if (last?.ariaLabel.startsWith(arguments[0])) window.lengths.add(last.innerText.length);
        });
        window.counter.observe(document.body, { childList: true, subtree: true, characterData: true })";
    window.browser().run(script, vec![json!(window.word("chat:assistant"))]);
    window.say(question);
    window.finished();
    let lengths = window.browser().run("return window.lengths.size", vec![]);
    lengths.as_u64().expect("a number")
}

#[test]
fn gemma_streams_over_the_openai_and_the_anthropic_format() {
    let server = siltstone_test_servers::gemma(8192).expect("gemma starts (scripts/setup.sh test)");
    for (language, format) in [("en", "OpenAI-compatible"), ("ko", "Anthropic")] {
        let window = Window::first(language);
        window.connect(format, &server.base_url());
        window.just_talk();
        // Left alone, a small model may never come to an end.
        window.tune("tuning:maxOutput", "24");
        let lengths = seen_growing(&window, "Water boils at");
        assert!(lengths >= 3, "{format}: it grew while it came");
        let reply = window.finished();
        assert!(!reply.text().contains(&window.word("chat:status.failed")), "{}", reply.text());
        let kept = window.silt().ask(&["conversation", "list"]);
        let id = kept["conversations"][0]["id"].as_str().expect("an id").to_owned();
        let shown = window.silt().ask(&["conversation", "show", &id]);
        let kept = shown["messages"][1]["content"].as_str().expect("a reply").trim();
        assert!(!kept.is_empty(), "the reply is kept: {shown}");
        window.shoot(&format!("story-gemma-{format}"));
    }
}
