// What the desktop is told of a conversation while the window is not looked at.
import { afterEach, expect, it, vi } from "vitest";
import { setTransport } from "@/ipc";
import { createFake } from "@/ipc/fake";
import { create } from "@/ipc/fake/tree";
import { createQueryClient, queries } from "@/ipc/queries";
import { notifyAway } from "./notify";

afterEach(() => vi.restoreAllMocks());

it("calls a conversation what it is called now", async () => {
  vi.spyOn(document, "hasFocus").mockReturnValue(false);
  const fake = createFake();
  setTransport(fake);
  const conversation = create(fake.state, null);
  const client = createQueryClient();
  // Known before its first question gave it a name.
  await client.fetchQuery(queries.conversation(conversation.id));
  await fake.invoke("conversation_rename", { id: conversation.id, title: "Ports" });
  await notifyAway(client, conversation.id, "an answer is needed");
  expect(fake.state.opened).toEqual(["Ports: an answer is needed"]);
});

it("says nothing to who looks at the window", async () => {
  vi.spyOn(document, "hasFocus").mockReturnValue(true);
  const fake = createFake();
  setTransport(fake);
  await notifyAway(createQueryClient(), create(fake.state, null).id, "an answer is needed");
  expect(fake.state.opened).toEqual([]);
});
