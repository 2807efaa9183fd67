// A request in small, as layers that lie on each other in the order in which a model reads them: what would be sent with
// what is being written, and what could be in it besides. It is the preview of a real conversation once there is one.
import { Plus, X } from "lucide-react";
import { useEffect } from "react";
import { Fill, isAddable, previewDraft, useBlockWords, useRequestPreview, wishable } from "@/features/context";
import { tellFailure } from "@/features/errors";
import { call, type ConversationItem, type SectionKind, type Wish } from "@/ipc";
import { formatTokens, useTranslation } from "@/shared/i18n";
import { Tooltip } from "@/shared/kit";
import css from "./start.module.css";
import { useWriting } from "./writing";

type Layer = "instructions" | "rules" | "summaries" | "messages" | "words";
const KINDS: Record<Layer, SectionKind> = { instructions: "instructions", rules: "memory", summaries: "summary", messages: "turn", words: "draft" };
/** In every request, whatever is in it besides. */
const ALWAYS: ReadonlySet<string> = new Set<Layer>(["instructions", "words"]);
const LAYERS = Object.keys(KINDS) as Layer[];

export function Miniature({ conversation }: { conversation: ConversationItem | null }) {
  const { t } = useTranslation("start");
  return (
    <section className={css.mini} aria-label={t("mini.title")}>
      {conversation ? <Live conversation={conversation} /> : <Layers said={[]} />}
    </section>
  );
}

interface Row {
  id: string;
  kind: SectionKind;
  name: string;
  why: string;
  /** Null of what is not in it. */
  tokens: number | null;
  /** What a press does: takes it out, or brings it in. */
  act?: "leaveOut" | "add";
  onPress?: () => void;
}

function Live({ conversation }: { conversation: ConversationItem }) {
  const { t } = useTranslation("start");
  const { pieceName, why, leftOutName } = useBlockWords();
  const text = useWriting((writing) => writing.text);
  const { id } = conversation;
  useEffect(() => previewDraft(id, text), [id, text]);
  const { data } = useRequestPreview(conversation);
  const want = (section: string, source: string, wish: Wish | null) => () =>
    void call("section_wish", { conversation_id: id, id: section, source, wish }).catch(tellFailure);
  const said = (data?.sections ?? []).map((section): Row => {
    const { id: of, source, kind, reason, tokens } = section;
    const may = wishable(section).leaveOut;
    const act = may ? ({ act: "leaveOut", onPress: want(of, source, "left_out") } as const) : {};
    return { id: of, kind, name: pieceName(section), why: why(reason), tokens, ...act };
  });
  const out = (data?.left_out ?? []).filter(isAddable).map((item): Row => {
    const onPress = want(item.id, item.source, item.why === "by_you" ? null : "pinned");
    return { id: `out:${item.id}`, kind: "volatile_context", name: leftOutName(item), why: t("mini.out"), tokens: null, act: "add", onPress };
  });
  return <Layers said={[...said, ...out]} tokens={data?.tokens} />;
}

function Layers({ said, tokens }: { said: readonly Row[]; tokens?: number }) {
  const { t } = useTranslation("start");
  const others = said.filter(({ kind }) => !LAYERS.some((layer) => KINDS[layer] === kind));
  const rows = LAYERS.flatMap((layer): Row[] => {
    const mine = said.filter(({ kind }) => kind === KINDS[layer]);
    const ghost: Row = { id: layer, kind: KINDS[layer], name: t(`mini.${layer}`), why: t(`mini.${layer}Hint`), tokens: null };
    // What the moment adds lies before the words, as in the request.
    return [...(layer === "words" ? others : []), ...(mine.length > 0 ? mine : [ghost])];
  });
  return (
    <>
      <h2 className={css.miniTitle}>
        {t("mini.title")}
        <span data-numeric>{tokens !== undefined && t("mini.tokens", { tokens: formatTokens(tokens) })}</span>
      </h2>
      <ol className={css.layers}>
        {rows.map(({ id, kind, name, why, tokens, act, onPress }) => (
          <li key={id}>
            <Tooltip text={act ? `${why} · ${t(`mini.${act}`, { name })}` : why}>
              <button
                type="button"
                className={css.layer}
                data-ghost={(tokens === null && !ALWAYS.has(id)) || undefined}
                aria-label={[act ? t(`mini.${act}`, { name }) : name, why].join(". ")}
                aria-disabled={act === undefined}
                onClick={onPress}
              >
                <span className={css.layerFill}>
                  <Fill kind={kind} />
                </span>
                <span className={css.layerName}>{name}</span>
                <span className={css.layerTokens} data-numeric>
                  {tokens !== null && formatTokens(tokens)}
                </span>
                <span className={css.layerAct}>
                  {act === "add" ? <Plus aria-hidden /> : act && <X aria-hidden />}
                </span>
              </button>
            </Tooltip>
          </li>
        ))}
      </ol>
    </>
  );
}
