// What the demo's model does with tools: it looks around, fails once, wants to change a file, to run a command and to ask a
// server, so that every kind of row and approval can be looked at.
import type { FakeCall, FakeStep } from "./tools";

const read = (path: string, result: string): FakeCall => ({ name: "read_file", arguments: { path }, result });

const LOG = Array.from({ length: 2_400 }, (_, n) => `test store::case_${n + 1} ... ok`);

export function steps(files: Record<string, string>): (question: string) => FakeStep[] {
  const path = "src/auth.rs";
  const change = (): FakeCall => {
    const before = files[path] ?? "";
    const after = before.replace("thirty days", "seven days").replace("days(30)", "days(7)");
    return {
      name: "edit_file",
      arguments: { path, old: "Duration::days(30)", new: "Duration::days(7)" },
      asks: { change: { kind: "edit", path, before, after, stamp: "1" }, patterns: [path, "src/*.rs", "src/**"] },
      result: `${path} was changed.`,
      does: () => (files[path] = after),
    };
  };
  const command = "cargo test --workspace -- --nocapture \u202estore";
  const purpose = "to see whether the store's tests still pass";
  const run: FakeCall = {
    name: "run_command",
    arguments: { command, purpose },
    asks: { command, purpose },
    output: LOG.slice(0, 40).map((line) => `${line}\n`),
    result: [...LOG.slice(0, 6), "[… 61,000 bytes left out …]", ...LOG.slice(-4)].join("\n"),
    whole: LOG.join("\n"),
  };
  const issue: FakeCall = {
    name: "mcp__tracker__create_issue",
    arguments: { title: "Tokens live for a week", labels: ["auth"], body: "리프레시 토큰의 수명을 7일로 줄였어요." },
    result: '{"number": 42}',
  };
  const note: FakeCall = {
    name: "write_file",
    arguments: { path: "docs/tokens.md", text: "# Tokens\n\nThey live for a week.\n" },
    asks: { change: { kind: "create", path: "docs/tokens.md", before: null, after: "# Tokens\n\nThey live for a week.\n", stamp: "" }, patterns: ["docs/tokens.md", "docs/**"] },
    result: "docs/tokens.md was written.",
    does: () => (files["docs/tokens.md"] = "# Tokens\n\nThey live for a week.\n"),
  };
  return (question) =>
    /token|토큰/i.test(question) && /change|바꿔|줄여/i.test(question)
      ? [
          {
            thought: "The lifetime must be somewhere in the sources.",
            text: "I look for where the lifetime is set.",
            calls: [
              { name: "list_files", arguments: { path: "src" }, result: "auth.rs" },
              { name: "search_files", arguments: { pattern: "days\\(" }, result: `${path}:6:    store.issue(session, Duration::days(30))` },
              read(path, files[path] ?? ""),
              read("README.md", files["README.md"] ?? ""),
            ],
          },
          { calls: [{ ...read("src/store.rs", "src/store.rs does not exist. List the folder to see what does."), is_error: true }] },
          { text: "It is set in one place.", thought: "One place.", calls: [change()] },
          { text: "And the tests:", calls: [run] },
          { calls: [issue, note] },
        ]
      : [];
}
