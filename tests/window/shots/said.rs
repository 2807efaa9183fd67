//! Pictures of what is said: formulas, tables and code, what is found in them, a question that is changed, an address that
//! is followed, news about what was done; and of the models that could say it.

use serde_json::json;

use super::{Shooter, for_two};
use crate::support::{Page, Start, Window, scripted, wait};

const FORMULAS: &str = r#"The layer grows by $v = \frac{d}{t}$ each year, so its age is

$$t = \int_0^d \frac{1}{v(x)}\,dx \approx \sum_{k=1}^{n} \frac{\Delta x_k}{v(x_k)}$$

| Layer | Depth | Years |
|---|---:|---:|
| Sand | 0.4 m | 1,200 |
| Silt | 1.1 m | 5,400 |
| Clay | 2.0 m | 21,000 |

```python
def age(layers):
    """Years that the layers took."""
    return sum(depth / speed for depth, speed in layers)  # 침전 속도
```

See <https://example.org/sediment>."#;

const KOREAN: &str = r#"지층의 나이는 **두께(depth)**를 쌓이는 속도로 나눈 값이에요. 곧 $t = d / v$이고, 속도가 바뀌면

$$t = \int_0^d \frac{1}{v(x)}\,dx$$

| 지층 | 두께 | 햇수 |
|---|---:|---:|
| 모래 | 0.4 m | 1,200 |
| 실트 | 1.1 m | 5,400 |

1. 속도를 잽니다.
2. 구간마다 나눕니다.

> 지층은 아래가 더 오래됐어요."#;

#[test]
#[ignore = "pictures, by make shots"]
fn what_is_said_in_two() {
    // Those that a fixture names are the ones it has.
    let models =
        ["claude-opus-4-1", "claude-sonnet-4-5", "gpt-4o", "gpt-5", "o4-mini", "our-own-model"];
    let fixtures = models
        .map(|model| json!({ "match": { "model": model }, "response": { "content": "Yes. 네." } }));
    let server = scripted(&fixtures);
    for_two(|language, theme| said(&server.base_url(), language, theme));
}

fn said(base_url: &str, language: &'static str, theme: &str) {
    let start = Start::new(language);
    let silt = start.silt();
    silt.connect("scripted", base_url, "gpt-4o");
    silt.ask(&["price", "set", "our-own-model", "--input", "0.2", "--output", "0.8"]);
    let asked = ("user", "How old is a layer? 지층의 나이는 어떻게 재요?".to_owned());
    let more = ("user", "한국어로 다시 설명해 줘".to_owned());
    let talk = [asked, ("assistant", FORMULAS.to_owned()), more, ("assistant", KOREAN.to_owned())];
    silt.import("Old layers", &talk);
    silt.import("Gone soon", &talk[..2]);
    let window = start.window();
    let shooter = Shooter::of(&window, language, theme);
    window.open_conversation("Old layers");
    let drawn = "return document.querySelector('[role=log] math[display=block]') !== null";
    wait("a formula", || (window.browser().run(drawn, vec![]) == true).then_some(()));
    shooter.take_in_all_widths("formulas-korean");
    window.to_the_first();
    wait("a formula", || (window.browser().run(drawn, vec![]) == true).then_some(()));
    // The way back to the newest is there, too.
    window.control("button", "chat:newest");
    shooter.take_in_all_widths("formulas");
    find(&window, &shooter);

    window.to_the_first();
    window.turns()[0].hover();
    window.turns()[0].the("button", &window.word("chat:actions.edit")).click();
    window.control("textbox", "chat:actions.editLabel");
    shooter.take_in_all_widths("chat-edit");
    window.keys("Escape");
    window.the("link", "https://example.org/sediment").click();
    window.like("dialog", ".");
    window.reads("example.org");
    shooter.take("link");
    window.dismiss();

    window.like("button", &window.phrase("talk:model.current", &[("model", "gpt-4o")])).click();
    window.like("button", "^claude-sonnet-4-5");
    shooter.take_in_all_widths("models");
    window.keys("Escape");
    thrown_away(&window, &shooter);
}

/// Every place is marked, and counted.
fn find(window: &Window, shooter: &Shooter<'_>) {
    window.keys("Control+f");
    window.control("textbox", "talk:find.field").type_text("지층");
    let place = |at: &str| window.phrase("talk:find.place", &[("at", at), ("n", "4")]);
    window.reads(&place("1"));
    shooter.take_in_all_widths("find");
    window.keys("Enter");
    window.reads(&place("2"));
    shooter.take("find-next");
    window.keys("Control+a");
    window.control("textbox", "talk:find.field").type_text("zebra");
    window.reads(&window.word("talk:find.none"));
    shooter.take("find-nothing");
    window.keys("Escape");
}

/// The news of it stands with the way back.
fn thrown_away(window: &Window, shooter: &Shooter<'_>) {
    window.open_conversation("Gone soon");
    window.keys("Control+k");
    window.control("combobox", "palette:title").type_text(&window.word("actions:delete"));
    window.the("option", &window.word("actions:delete"));
    window.keys("Enter");
    window.reads(&window.phrase("rail:deleted", &[("title", "Gone soon")]));
    shooter.take_in_all_widths("toast");
}
