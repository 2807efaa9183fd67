// Who works side by side, and how each is started: a copy, a conversation in it, its model, and the task. What is done of that
// is not done again.
import { call, stream, toFailure, type ConversationId, type DefaultModel, type ModelInfo, type ProjectId, type ProviderItem, type Settings } from "@/ipc";
import { OWN_MODEL } from "@/features/models";

/** Most that work on one task. */
export const MOST = 4;

export interface Worker {
  key: string;
  who: DefaultModel;
  /** How far its copy is made; null while it is not being made. */
  copying: { done: number; total: number } | null;
  copy: ProjectId | null;
  conversation: ConversationId | null;
  /** It was asked, and works. */
  asked: boolean;
  failure: unknown;
}

export function workerOf(who: DefaultModel): Worker {
  return { key: crypto.randomUUID(), who, copying: null, copy: null, conversation: null, asked: false, failure: null };
}

/**
 * Who can work, in the order in which they are offered: the default, agents, and the models of lists that were read. Nobody
 * is asked for a list here. The offline one can do no work.
 */
export function candidates(
  providers: readonly ProviderItem[],
  { default_provider, default_model }: Pick<Settings, "default_provider" | "default_model">,
  lists: readonly (readonly ModelInfo[] | undefined)[],
): DefaultModel[] {
  const first = { provider: default_provider, model: default_model };
  const agents = providers.filter(({ kind }) => kind === "agent").map(({ name }) => ({ provider: name, model: OWN_MODEL }));
  const listed = providers.flatMap(({ name, kind }, at) =>
    kind === "agent" ? [] : (lists[at] ?? []).map(({ id }) => ({ provider: name, model: id })),
  );
  const able = (provider: string) => providers.some(({ name, kind }) => name === provider && kind !== "offline");
  const all = [first, ...agents, ...listed].filter(({ provider }) => able(provider));
  return all.filter((one, at) => all.findIndex((other) => isSame(one, other)) === at);
}

/** The first of them that does not work yet, or else the first. */
export function nextOf(able: readonly DefaultModel[], working: readonly DefaultModel[]): DefaultModel | undefined {
  return able.find((one) => !working.some((other) => isSame(one, other))) ?? able[0];
}

function isSame(one: DefaultModel, other: DefaultModel): boolean {
  return one.provider === other.provider && one.model === other.model;
}

export interface Start {
  projectId: ProjectId;
  /** Names the copy that is made, for whoever cancels it. */
  makingId: string;
  /** What the copy is called after. */
  name: string;
  worktree: boolean;
  task: string;
  /** Whether it was cancelled meanwhile. */
  stopped: () => boolean;
  /** Hears how far it is. */
  tell: (part: Partial<Worker>) => void;
}

/** Goes on with one where it stands. False where it failed, with why, or was cancelled. */
export async function begin(worker: Worker, { projectId, makingId, name, worktree, task, stopped, tell }: Start): Promise<boolean> {
  let { copy, conversation } = worker;
  tell({ failure: null });
  try {
    if (copy === null) {
      tell({ copying: { done: 0, total: 0 } });
      const made = { making_id: makingId, project_id: projectId, name, worktree };
      copy = (await stream("copy_create", made, (copying) => tell({ copying }))).id;
      if (stopped()) {
        // It was there before that could be stopped.
        await call("copy_remove", { id: copy });
        tell({ copying: null });
        return false;
      }
      tell({ copying: null, copy });
    }
    conversation ??= (await call("conversation_create", { project_id: copy })).id;
    tell({ conversation });
    await call("conversation_model", { id: conversation, choice: worker.who });
    await call("send", { conversation_id: conversation, text: task, attachments: [] });
    tell({ asked: true });
    return true;
  } catch (failure) {
    tell({ copying: null, failure: toFailure(failure).code === "cancelled" ? null : failure });
    return false;
  }
}
