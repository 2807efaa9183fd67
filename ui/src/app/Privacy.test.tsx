// What is kept out of requests: chosen in the settings, and shown on the blocks it was taken out of.
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { BlockRow } from "@/features/context/BlockRow";
import { setTransport } from "@/ipc";
import { startHost } from "@/test/host";
import { expectAccessible, startAfresh } from "@/test/journey";
import { openOverlay } from "./actions";
import { App } from "./App";

startAfresh();

it("takes patterns when the field is left, and keeps secrets in only when told to", async () => {
  const host = await startHost();
  const privacy = async () => (await host.settings()).privacy;
  setTransport(host);
  render(<App />);
  await act(async () => openOverlay({ kind: "settings", tab: "privacy" }));
  const field = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Files that are never sent" });
  fireEvent.input(field, { target: { value: "*.pem\n\n/notes/ " } });
  expect((await privacy()).exclude_patterns).toEqual([]);
  fireEvent.blur(field);
  await waitFor(async () => expect((await privacy()).exclude_patterns).toEqual(["*.pem", "/notes/"]));
  fireEvent.click(screen.getByRole("switch", { name: "Redact secrets" }));
  await waitFor(async () => expect((await privacy()).sanitize_secrets).toBe(false));
  expect((await privacy()).exclude_patterns).toEqual(["*.pem", "/notes/"]);
  await expectAccessible();
});

it("names the rules by which a block was redacted, each once", () => {
  const piece = {
    source: "conversation", link: null, text: "", attached: [], tokens: 1, exact: true, pinned: false,
    reason: { code: "recent" }, turns: null, changed: false, messages: [], kind: "turn",
  } as const;
  const pieces = [
    { ...piece, id: "a", redacted: ["jwt", "password"] },
    { ...piece, id: "b", redacted: ["jwt"] },
  ];
  const block = { id: "turns", kind: "turn" as const, tokens: 2, pieces };
  render(
    <ul>
      <BlockRow block={{ ...block, pieces: pieces.map((it) => ({ ...it, attached: [] })) }} sizes={new Map()} onLink={() => {}} />
    </ul>,
  );
  screen.getByText("redacted: jwt, password");
});
