// What is read is never older than what the host said last, whenever it said so.
import { QueryObserver } from "@tanstack/react-query";
import { expect, it, vi } from "vitest";
import { setTransport, type Changed, type Transport } from ".";
import { createQueryClient, followChanges, queries } from "./queries";

it("reads again what changed while it was read for the first time", async () => {
  const answers: ((lines: string[]) => void)[] = [];
  let tell: (changed: Changed) => void = () => {};
  const invoke = () => new Promise((done) => answers.push(done));
  const none = () => () => undefined;
  const onChanged = (listener: typeof tell) => {
    tell = listener;
    return () => undefined;
  };
  setTransport({ invoke, stream: invoke, onChanged, onFolderOffered: none, onDragDrop: none } as unknown as Transport);
  const client = createQueryClient();
  const still = followChanges(client);
  const watched = new QueryObserver(client, queries.memory({ project_id: null, conversation_id: null, dir: null }));
  const leave = watched.subscribe(() => {});
  await vi.waitFor(() => expect(answers).toHaveLength(1));
  tell({ topics: [{ type: "memory" }, { type: "memory" }] });
  answers[0]!(["before"]);
  await vi.waitFor(() => expect(answers.length).toBeGreaterThan(1));
  answers.slice(1).forEach((answer) => answer(["after"]));
  await vi.waitFor(() => expect(watched.getCurrentResult().data).toEqual(["after"]));
  leave();
  still();
});
