// What is read is never older than what the host said last, whenever it said so.
import { QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { setTransport, type Changed, type Transport } from ".";
import { createQueryClient, followChanges, queries } from "./queries";

const answers: ((lines: string[]) => void)[] = [];
const client = createQueryClient();
let tell: ((changed: Changed) => void) | undefined;
let still: () => void;

beforeEach(() => {
  tell = undefined;
  const invoke = () => new Promise((done) => answers.push(done));
  const none = () => () => undefined;
  const onChanged = (listener: NonNullable<typeof tell>) => {
    tell = listener;
    return () => undefined;
  };
  setTransport({ invoke, stream: invoke, onChanged, onPathOffered: none, onDragDrop: none } as unknown as Transport);
  still = followChanges(client);
});

afterEach(() => still());

it("reads again what changed while it was read for the first time", async () => {
  const watched = new QueryObserver(client, queries.memory({ project_id: null, conversation_id: null, dir: null }));
  const leave = watched.subscribe(() => {});
  await vi.waitFor(() => expect(answers).toHaveLength(1));
  tell!({ topics: [{ type: "memory" }, { type: "memory" }] });
  answers[0]!(["before"]);
  await vi.waitFor(() => expect(answers.length).toBeGreaterThan(1));
  answers.slice(1).forEach((answer) => answer(["after"]));
  await vi.waitFor(() => expect(watched.getCurrentResult().data).toEqual(["after"]));
  leave();
});

it("forgets what is not in sight when all may be of another database", async () => {
  const { queryKey } = queries.conversation("of-before");
  await vi.waitFor(() => expect(tell).toBeDefined());
  client.setQueryData(queryKey, { item: { id: "of-before" } } as never);
  tell!({ topics: [{ type: "conversations" }] });
  expect(client.getQueryData(queryKey)).toBeDefined();
  tell!({ topics: [{ type: "all" }] });
  expect(client.getQueryData(queryKey)).toBeUndefined();
});
