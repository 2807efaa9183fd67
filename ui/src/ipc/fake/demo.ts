// The fake with something in it, for looking at the interface in a plain browser.
import type { KeyringState } from "../bindings";
import { createFake, type Fake } from ".";
import * as tree from "./tree";

const README = `# aurora-api

A small service that keeps sessions and refresh tokens.

## Running

\`cargo run\` listens on port 5433.
`;

const AUTH = `use crate::store::Store;

/// A refresh token lives for thirty days and is used once.
pub fn rotate(store: &Store, token: &str) -> Result<String, Refused> {
    let session = store.take(token).ok_or(Refused)?;
    store.issue(session, Duration::days(30))
}
`;

const RULES = "# Rules\n\n- Never break the public API.\n- Two spaces, strict types.\n- 커밋 메시지는 한국어로 씁니다.\n";

const ANSWER = `The refresh path takes the token **once** and issues another:

\`\`\`rust
pub fn rotate(store: &Store, token: &str) -> Result<String, Refused> {
    let session = store.take(token).ok_or(Refused)?;
    store.issue(session, Duration::days(30))
}
\`\`\`

1. A token that was used before is refused.
2. The public API stays as it is, as [AGENTS.md](silt:file/AGENTS.md?line=3) asks.

See [src/auth.rs:5](silt:file/src/auth.rs?line=5) and https://datatracker.ietf.org/doc/html/rfc6749.`;

const KOREAN = `**리프레시 토큰(refresh token)**은 한 번만 쓰이고, 쓰는 순간 새 토큰으로 바뀝니다.

| 항목 | 값 |
|---|---:|
| 수명 | 30일 |
| 포트 | 5433 |

자세한 곳은 [src/auth.rs:4](silt:file/src/auth.rs?line=4)에 있습니다.`;

export function demo(): Fake {
  const day = 86_400_000;
  let shift = 0;
  // ?empty for a first launch; ?keyring=locked|absent|silent and ?vault=locked (passphrase "sediment") for keys.
  const asked = new URLSearchParams(location.search);
  const fake = createFake({
    delayMs: 30,
    language: navigator.language.startsWith("ko") ? "ko" : "en",
    settings: { language: "system" },
    picks: "/home/ada/code/aurora-api",
    folders: {
      "/home/ada/code/aurora-api": {
        branch: "main",
        neverSent: [".env", "deploy.pem"],
        files: { "AGENTS.md": RULES, "CLAUDE.md": RULES, "README.md": README, "src/auth.rs": AUTH },
      },
      "/home/ada": { warnings: ["home"], files: { "notes.txt": "Buy tea." } },
    },
    servers: [
      {
        name: "Ollama",
        kind: "ollama",
        base_url: "http://127.0.0.1:11434",
        models: [
          { id: "gemma3:270m", context_window: 32_768 },
          { id: "qwen3:4b", context_window: null },
        ],
      },
    ],
    hosted: [
      {
        base_url: "https://api.anthropic.com/v1",
        key: "sk-ant-demo-0123456789-c3f9",
        models: [
          { id: "claude-opus-4", context_window: 200_000 },
          { id: "claude-haiku-4", context_window: 200_000 },
        ],
      },
    ],
    keyring: (asked.get("keyring") ?? "unlocked") as KeyringState,
    vault: asked.has("vault") ? "locked" : "absent",
    passphrase: "sediment",
    now: () => Date.now() - shift,
  });
  if (asked.has("empty")) return fake;
  const { state } = fake;
  const project = fake.invoke("project_open", { path: "/home/ada/code/aurora-api", trust: "trusted" });
  void project.then(({ id }) => {
    const talk = (title: string, turns: [string, string][], project_id: string | null = id) => {
      const conversation = tree.create(state, project_id);
      conversation.title = title;
      conversation.title_source = "person";
      let parent_id: string | null = null;
      for (const [question, answer] of turns) {
        parent_id = tree.add(state, conversation, { role: "user", parent_id }, question).id;
        parent_id = tree.add(state, conversation, { role: "assistant", parent_id, model: "gemma3:270m" }, answer).id;
      }
      return conversation;
    };
    shift = 3 * day;
    talk("Perf of the session table", [["Which index is missing?", "None that the file names."]]);
    shift = day;
    talk("세션 스키마 정리", [["세션 표는 어디에 있어?", KOREAN]]);
    talk("<img src=x onerror=alert(1)>", [["<b>hostile</b> title", "<script>alert(1)</script>"]], null);
    shift = 0;
    talk("Auth refactor", [
      ["How are refresh tokens rotated?", ANSWER],
      ["한국어로 요약해 줘", KOREAN],
    ]).pinned = true;
    talk("Port of the service", [["Which port?", "`5433`, says README.md."]]);
  });
  return fake;
}
