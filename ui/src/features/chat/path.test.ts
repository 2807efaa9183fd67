// The window of loaded messages against a host with a long conversation: what is read again, and
// that branches and jumps show the true path.
import { beforeEach, describe, expect, it, vi, type MockInstance } from "vitest";
import { setTransport } from "@/ipc";
import { createQueryClient } from "@/ipc/queries";
import { imported, pathOf, startHost, type Host } from "@/test/host";
import { loadAround, loadNewer, loadNewest, loadOlder, pathQuery } from "./path";

let host: Host;
let id: string;
let ids: string[];
let client: ReturnType<typeof createQueryClient>;
let pages: MockInstance<Host["invoke"]>;

beforeEach(async () => {
  host = await startHost({ folders: { "/code/aurora": {} }, model: { reply: () => "an answer" } });
  id = await imported(host, Array.from({ length: 1000 }, (_, n) => `message ${n}`));
  ids = (await pathOf(host, id)).map((message) => message.id);
  setTransport(host);
  client = createQueryClient();
  await client.fetchQuery(pathQuery(id));
  pages = vi.spyOn(host, "invoke");
});

const window = () => client.getQueryData(pathQuery(id).queryKey)!;
const shown = () => window().messages.map((message) => message.id);
const again = () => client.fetchQuery({ ...pathQuery(id), staleTime: 0 });
const asked = () => pages.mock.calls.filter(([command]) => command === "conversation_page").length;

describe("path", () => {
  it("opens at the end and grows to the front, one page at a time", async () => {
    expect(shown()).toEqual(ids.slice(-60));
    await Promise.all([loadOlder(client, id), loadOlder(client, id)]);
    expect(shown()).toEqual(ids.slice(-120));
    expect(asked()).toBe(1);
  });

  it("keeps a page that comes while what is there is read again", async () => {
    pages.mockRestore();
    const invoke = host.invoke.bind(host);
    let answer = () => {};
    const held = new Promise<void>((done) => (answer = done));
    vi.spyOn(host, "invoke").mockImplementationOnce((...asked) => held.then(() => invoke(...asked)));
    const reading = again();
    await loadOlder(client, id);
    answer();
    await reading;
    expect(shown()).toEqual(ids.slice(-120));
  });

  it("reads one page again after a message, however much is loaded", async () => {
    for (let n = 0; n < 10; n += 1) await loadOlder(client, id);
    const { messages } = window();
    pages.mockClear();
    await host.invoke("send", { conversation_id: id, text: "one more", attachments: [] });
    await host.settled(id);
    await again();
    expect(window().total).toBe(1002);
    expect(shown().slice(0, -2)).toEqual(ids.slice(-660));
    expect(asked()).toBe(1);
    expect(window().messages[0]).toBe(messages[0]);
  });

  it("shows the true path after an edit far up and the way back", async () => {
    for (let n = 0; n < 10; n += 1) await loadOlder(client, id);
    await host.invoke("edit", { id: ids[500]!, text: "another way", attachments: null });
    await host.settled(id);
    await again();
    expect(window().total).toBe(502);
    expect(window().messages.at(-2)!.siblings).toMatchObject({ position: 1, ids: [ids[500], expect.any(String)] });
    await host.invoke("branch_switch", { id: ids[500]! });
    await again();
    expect(window().messages.at(-1)!.id).toBe(ids.at(-1));
    const { start, messages } = window();
    expect(messages.map((message) => message.id)).toEqual(ids.slice(start));
  });

  it("never begins inside a turn, however many calls it has", async () => {
    // Each question is answered after forty calls.
    const { tools } = await host.settings();
    await host.change({ tools: { ...tools, max_rounds: 100 } });
    const project = await host.open("/code/aurora");
    host.server.model.steps = () => Array.from({ length: 40 }, (_, n) => ({ calls: [{ name: "list_files", arguments: { path: `${n}` } }] }));
    const conversation = await host.invoke("conversation_create", { project_id: project.id });
    for (const text of ["a", "b", "c"]) {
      await host.invoke("send", { conversation_id: conversation.id, text, attachments: [] });
      await host.settled(conversation.id);
    }
    const all = (await pathOf(host, conversation.id)).map((message) => message.id);
    const query = pathQuery(conversation.id);
    const starts = () => client.getQueryData(query.queryKey)!.start;
    const { messages } = await client.fetchQuery(query);
    expect(messages.map((message) => message.id)).toEqual(all.slice(164));
    await loadOlder(client, conversation.id);
    expect(starts()).toBe(82);
    // A result in the middle of the first turn brings all that is before it there.
    expect(await loadAround(client, conversation.id, all[60]!)).toEqual({ index: 60, moved: true });
    expect(starts()).toBe(0);
    await loadNewer(client, conversation.id);
    const { messages: now } = client.getQueryData(query.queryKey)!;
    expect(now.map((message) => message.id)).toEqual(all.slice(0, now.length));
  });

  it("jumps to a far message, goes on from there, and returns", async () => {
    expect(await loadAround(client, id, ids[990]!)).toEqual({ index: 990, moved: false });
    expect(await loadAround(client, id, ids[100]!)).toEqual({ index: 100, moved: true });
    expect(shown()).toEqual(ids.slice(70, 130));
    await loadNewer(client, id);
    await again();
    expect(shown()).toEqual(ids.slice(70, 190));
    await loadNewest(client, id);
    expect(shown()).toEqual(ids.slice(-60));
  });
});
