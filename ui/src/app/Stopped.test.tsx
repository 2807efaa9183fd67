// Where the work stopped, above the composer of a conversation that has not begun: what is shown is what is sent, and the
// person takes or leaves it with one press.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setTransport } from "@/ipc";
import { startHost, type Host } from "@/test/host";
import { answered, click, expectAccessible, field, gone, push, startAfresh } from "@/test/journey";
import { goToConversation, usePlace } from "./actions";
import { App } from "./App";

startAfresh();

const QUESTION = "Which port does the heron database use?";
const LEFT = /^Where you stopped [\d.]+k? tokens: not sent$/;
const GOES = /^Where you stopped [\d.]+k? tokens$/;

/** A project that was worked in before the program was started again. */
async function start(): Promise<{ host: Host; earlier: string; another: () => Promise<string> }> {
  const model = { reply: () => "It listens on port 5433." };
  const host = await startHost({ folders: { "/code/aurora": { "AGENTS.md": "# Rules" } }, model });
  const { id: project_id } = await host.open("/code/aurora");
  const another = async () => {
    const conversation = await host.invoke("conversation_create", { project_id });
    act(() => goToConversation(conversation));
    return conversation.id;
  };
  const { id } = await host.invoke("conversation_create", { project_id });
  await host.invoke("send", { conversation_id: id, text: QUESTION, attachments: [] });
  await host.settled(id);
  await host.again();
  setTransport(host);
  render(<App />);
  await screen.findByText("Drop a project folder here");
  return { host, earlier: id, another };
}

const chip = async () => within(await screen.findByRole("group", { name: "Where you stopped" }));

/** What the last request carried. */
const carried = ({ server }: Host) => JSON.stringify(server.received.findLast(({ body }) => body.messages !== undefined)!.body.messages);

describe("where the work stopped", () => {
  it("is shown before anything is sent, opens to what goes, and goes", async () => {
    const { host, another } = await start();
    const id = await another();
    const taken = await chip();
    const name = await taken.findByRole("button", { name: GOES });
    fireEvent.click(name);
    expect(name.getAttribute("aria-expanded")).toBe("true");
    const text = await screen.findByRole("region", { name: "What would be sent of it" });
    expect(text.textContent).toContain(QUESTION);
    await expectAccessible();
    expect((await host.invoke("request_preview", { conversation_id: id, draft: "" })).place!.taken).toBe(true);
    await answered("And the replica?");
    expect(carried(host)).toContain("heron database");
    // The preview of the next message says that nothing of it is offered any more.
    await gone(() => screen.queryByRole("group", { name: "Where you stopped" }));
  });

  it("is left out with one press, by pointer or key, and taken again", async () => {
    const { host, another } = await start();
    await another();
    await push((await chip()).findByRole("button", { name: "Leave it out" }));
    await waitFor(async () => expect(document.activeElement).toBe(await field()));
    await (await chip()).findByRole("button", { name: LEFT });
    fireEvent.click((await chip()).getByRole("button", { name: "Send it along" }));
    fireEvent.keyDown(await (await chip()).findByRole("button", { name: GOES }), { key: "Delete" });
    await (await chip()).findByRole("button", { name: LEFT });
    await expectAccessible();
    await answered("And the replica?");
    expect(carried(host)).not.toContain("heron");
  });

  it("is only offered to the next new conversation, and Continue leads to where it was", async () => {
    const { another, earlier } = await start();
    await another();
    await (await chip()).findByRole("button", { name: GOES });
    await another();
    await (await chip()).findByRole("button", { name: LEFT });
    fireEvent.keyDown(document.body, { key: "t", code: "KeyT", ctrlKey: true });
    await click("Continue");
    await waitFor(() => expect(usePlace.getState().conversationId).toBe(earlier));
    await screen.findByText(QUESTION, { selector: "[data-row] *" });
    await gone(() => screen.queryByRole("group", { name: "Where you stopped" }));
  });
});
