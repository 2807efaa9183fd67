// What the desktop is told of a conversation while the window is not looked at.
import { afterEach, expect, it, vi } from "vitest";
import { setTransport } from "@/ipc";
import { createQueryClient, queries } from "@/ipc/queries";
import { startHost } from "@/test/host";
import { notifyAway } from "./notify";

afterEach(() => vi.restoreAllMocks());

it("calls a conversation what it is called now", async () => {
  vi.spyOn(document, "hasFocus").mockReturnValue(false);
  const host = await startHost();
  setTransport(host);
  const conversation = await host.invoke("conversation_create", { project_id: null });
  const client = createQueryClient();
  // Known before its first question gave it a name.
  await client.fetchQuery(queries.conversation(conversation.id));
  await host.invoke("conversation_rename", { id: conversation.id, title: "Ports" });
  await notifyAway(client, conversation.id, "an answer is needed");
  expect(host.opened).toEqual(["Ports: an answer is needed"]);
});

it("says nothing to who looks at the window", async () => {
  vi.spyOn(document, "hasFocus").mockReturnValue(true);
  const host = await startHost();
  setTransport(host);
  const { id } = await host.invoke("conversation_create", { project_id: null });
  await notifyAway(createQueryClient(), id, "an answer is needed");
  expect(host.opened).toEqual([]);
});
