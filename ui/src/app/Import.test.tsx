// Everything that another service has of a person comes in, through the whole interface.
import { render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setTransport, type ImportedAll } from "@/ipc";
import { setLanguage } from "@/shared/i18n";
import { latch, startHost, zip } from "@/test/host";
import { click, expectAccessible, gone, startAfresh } from "@/test/journey";
import { runAction } from "./actions";
import { App } from "./App";

startAfresh();

const FILE = "/home/ada/export.zip";

const said = (uuid: string, sender: string, text: string, files: { file_name: string }[] = []) => ({
  uuid,
  sender,
  text,
  files,
  created_at: "2025-03-01T10:00:00Z",
});

const EXPORT = JSON.stringify([
  ...Array.from({ length: 9 }, (_, n) => ({
    name: `Herons, part ${n}`,
    created_at: "2025-03-01T10:00:00Z",
    updated_at: `2025-03-0${9 - n}T10:00:00Z`,
    chat_messages: [
      said("q", "human", `Where is the heron of part ${n}?`, n < 2 ? [{ file_name: "heron.jpg" }] : []),
      said("a", "assistant", "In the reeds."),
    ],
  })),
  { name: "Nothing", created_at: "2025-03-01T10:00:00Z", chat_messages: [] },
  { name: "Broken", chat_messages: "none" },
]);

async function start(bytes: string | Uint8Array) {
  const host = await startHost({ disk: { [FILE]: bytes } });
  setTransport(host);
  host.dialogs.file = host.at(FILE);
  render(<App />);
  return host;
}

/** As soon as the window can. */
const importing = () => waitFor(() => expect(runAction("import")).toBe(true));

const dialog = () => screen.findByRole("dialog", { name: "Importing conversations" });

describe("an export of another service", () => {
  it("comes in with its progress, once, and says what came and what did not", async () => {
    const host = await start(zip("conversations.json", EXPORT));
    const held = latch();
    const back = host.instead("conversation_import_all", async (_, real, onEvent) => {
      onEvent({ done: 3, total: 11 });
      await held.opened;
      return real();
    });
    await importing();
    await within(await dialog()).findByText("3/11");
    await expectAccessible();
    // Closed, it goes on; asked for once more, it is shown.
    await click("Close");
    await gone(() => screen.queryByRole("dialog", { name: "Importing conversations" }));
    await importing();
    await dialog();
    held.open();
    await screen.findByText(
      "9 conversations imported. 1 was empty. 1 could not be read. 2 pictures and files were left out; their names stand for them.",
    );
    await gone(() => screen.queryByRole("dialog", { name: "Importing conversations" }));
    await click("Open the latest");
    await screen.findByText(/Where is the heron of part 0/, { selector: "[data-row] *" });
    back();

    setLanguage("ko");
    await importing();
    await screen.findByText("대화 0개를 가져왔어요. 9개는 이미 있어서 그대로 두었어요. 1개는 내용이 없었어요. 1개는 읽을 수 없었어요.");
    const all = await host.invoke("conversation_list", { project_id: null, trashed: false });
    expect(all).toHaveLength(9);
  });

  it("is cancelled, and what was read before stays", async () => {
    const host = await start(zip("conversations.json", EXPORT));
    const cancelled = latch();
    const ids: string[] = [];
    const done: ImportedAll = {
      conversations: 1, messages: 2, already: 0, empty: 0, unreadable: 0, left_out: 0, cancelled: true, latest: null,
    };
    host.instead("conversation_import_all", async ({ import_id }) => {
      ids.push(import_id);
      await cancelled.opened;
      return done;
    });
    host.instead("conversation_import_cancel", ({ import_id }) => {
      ids.push(import_id);
      cancelled.open();
      return null;
    });
    await importing();
    await dialog();
    await click("Cancel");
    await screen.findByText("Cancelled; what was read before stays. 1 conversation imported.");
    expect(ids[0]).toBe(ids[1]);
  });

  it("that is not whole says what to do, and leaves nothing", async () => {
    const host = await start(EXPORT.slice(0, -40));
    await importing();
    await screen.findAllByText(/Download it again, or ask ChatGPT or Claude for a new one/);
    await waitFor(async () => expect(await host.invoke("conversation_list", { project_id: null, trashed: false })).toEqual([]));
  });
});
