// What is known of a model, quietly beside its name: what it costs, how much it holds, whether it reads pictures and takes
// tools. What nobody knows is not there.
import { useQuery } from "@tanstack/react-query";
import { Image, Wrench } from "lucide-react";
import { useCallback, useMemo, type ReactNode } from "react";
import type { ModelInfo } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatCost, formatTokens, useTranslation } from "@/shared/i18n";
import css from "./models.module.css";

/**
 * What is known of a model, with what it costs: as the person says, else as its server does, else, where it is elsewhere, as
 * its maker lists it. What an agent calls its models tells nothing of them.
 */
export function useFacts(): (model: ModelInfo, provider: string) => ModelInfo | undefined {
  const { data: prices } = useQuery(queries.prices());
  const { data: providers } = useQuery(queries.providers());
  const rows = useMemo(() => new Map(prices?.map((row) => [row.model, row])), [prices]);
  return useCallback(
    (model, provider) => {
      const of = providers?.find(({ name }) => name === provider);
      if (of?.kind === "agent") return undefined;
      const row = rows.get(model.id);
      // What asks for keys is not on this computer, where nothing is paid for.
      const listed = row?.source === "built_in" && of?.needs_key ? row.price : null;
      return { ...model, price: row?.source === "person" ? row.price : (model.price ?? listed) };
    },
    [rows, providers],
  );
}

/** In columns that stand below each other in a list. */
export function ModelFacts({ model }: { model: ModelInfo | undefined }) {
  const { t } = useTranslation("keys");
  if (!model) return null;
  const { context_window, window_guessed, takes_images, takes_tools, price } = model;
  const size = formatTokens(context_window ?? 0);
  const cost = price && { input: formatCost(price.input * 1000), output: formatCost(price.output * 1000) };
  const free = price?.input === 0 && price.output === 0;
  /** What is shown, with what it says in words. */
  const facts: ({ shown: ReactNode; words: string } | null)[] = [
    cost && {
      shown: free ? t("facts.free") : `${cost.input} / ${cost.output}`,
      words: free ? t("facts.free") : t("facts.price", cost),
    },
    context_window === null
      ? null
      : { shown: window_guessed ? `~${size}` : size, words: t(window_guessed ? "facts.guessed" : "facts.window", { size }) },
    takes_images ? { shown: <Image />, words: t("facts.images") } : null,
    takes_tools ? { shown: <Wrench />, words: t("facts.tools") } : null,
  ];
  const said = facts.flatMap((fact) => fact?.words ?? []);
  if (said.length === 0) return null;
  return (
    <span className={css.factsOf} data-numeric>
      <span className="visually-hidden">{said.join(", ")}</span>
      {facts.map((fact, column) => (
        <span key={column} title={fact?.words} aria-hidden>
          {fact?.shown}
        </span>
      ))}
    </span>
  );
}
