// Choosing a model: which one to begin with, and which ones were chosen last, which come first where models are listed.
import { useMemo } from "react";
import { call, type DefaultModel, type ModelInfo } from "@/ipc";
import { recents } from "@/shared/recents";
import { isNobody } from "./words";

const chosen = recents("siltstone.models", 5);

/** That one was chosen, for whatever. */
export function rememberModel({ provider, model }: DefaultModel): void {
  if (!isNobody(provider)) chosen.remember(`${provider}\n${model}`);
}

/** The last one first. */
export function useRecentModels(): readonly DefaultModel[] {
  const last = chosen.use();
  return useMemo(
    () =>
      last.map((one) => {
        const [provider = "", model = ""] = one.split("\n");
        return { provider, model };
      }),
    [last],
  );
}

/** Conversations that choose none ask it from now on. */
export async function makeDefault(choice: DefaultModel): Promise<void> {
  await call("provider_default", choice);
  rememberModel(choice);
}

/** How models call themselves that make vectors or rank, and answer nobody. */
const ANSWERS_NOBODY = /(^|[^a-z])(embed(?!ded)|(bge|gte|e5|minilm|reranker?)(?![a-z]))/i;

/** The first one that can be talked with. */
export function firstToAsk(models: readonly ModelInfo[]): ModelInfo | undefined {
  return models.find(({ id }) => !ANSWERS_NOBODY.test(id));
}
