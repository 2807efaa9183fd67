// The window of loaded messages against a host with a long conversation: what is read again, and
// that branches and jumps show the true path.
import { beforeEach, describe, expect, it, vi, type MockInstance } from "vitest";
import { setTransport, type Role } from "@/ipc";
import { createFake, type Fake } from "@/ipc/fake";
import { add, create, path as shownPath } from "@/ipc/fake/tree";
import { createQueryClient } from "@/ipc/queries";
import { loadAround, loadNewer, loadNewest, loadOlder, pathQuery } from "./path";

let fake: Fake;
let id: string;
let ids: string[];
let client: ReturnType<typeof createQueryClient>;
let pages: MockInstance<Fake["invoke"]>;

beforeEach(async () => {
  fake = createFake({ reply: () => "an answer" });
  const conversation = create(fake.state, null);
  id = conversation.id;
  let parent_id: string | null = null;
  for (let n = 0; n < 1000; n += 1) {
    const role = n % 2 === 0 ? "user" : "assistant";
    parent_id = add(fake.state, conversation, { role, parent_id }, `message ${n}`).id;
  }
  ids = shownPath(conversation).map((message) => message.id);
  setTransport(fake);
  client = createQueryClient();
  await client.fetchQuery(pathQuery(id));
  pages = vi.spyOn(fake, "invoke");
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

  it("reads one page again after a message, however much is loaded", async () => {
    for (let n = 0; n < 10; n += 1) await loadOlder(client, id);
    const { messages } = window();
    pages.mockClear();
    await fake.invoke("send", { conversation_id: id, text: "one more", attachments: [] });
    await again();
    expect(window().total).toBe(1002);
    expect(shown().slice(0, -2)).toEqual(ids.slice(-660));
    expect(asked()).toBe(1);
    expect(window().messages[0]).toBe(messages[0]);
  });

  it("shows the true path after an edit far up and the way back", async () => {
    for (let n = 0; n < 10; n += 1) await loadOlder(client, id);
    await fake.invoke("edit", { id: ids[500]!, text: "another way", attachments: null });
    await again();
    expect(window().total).toBe(502);
    expect(window().messages.at(-2)!.siblings).toMatchObject({ position: 1, ids: [ids[500], expect.any(String)] });
    await fake.invoke("branch_switch", { id: ids[500]! });
    await again();
    expect(window().messages.at(-1)!.id).toBe(ids.at(-1));
    const { start, messages } = window();
    expect(messages.map((message) => message.id)).toEqual(ids.slice(start));
  });

  it("never begins inside a turn, however many calls it has", async () => {
    const conversation = create(fake.state, null);
    let parent_id: string | null = null;
    const say = (role: Role, turn_id: string) => (parent_id = add(fake.state, conversation, { role, parent_id, turn_id }, "").id);
    for (const turn of ["a", "b", "c"]) {
      say("user", turn);
      for (let n = 0; n < 100; n += 1) ["assistant", "tool"].forEach((role) => say(role as Role, turn));
      say("assistant", turn);
    }
    const all = shownPath(conversation).map((message) => message.id);
    const query = pathQuery(conversation.id);
    const starts = () => client.getQueryData(query.queryKey)!.start;
    const { messages } = await client.fetchQuery(query);
    expect(messages.map((message) => message.id)).toEqual(all.slice(404));
    await loadOlder(client, conversation.id);
    expect(starts()).toBe(202);
    // A result in the middle of the first turn brings all that is before it there.
    expect(await loadAround(client, conversation.id, all[120]!)).toEqual({ index: 120, moved: true });
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
