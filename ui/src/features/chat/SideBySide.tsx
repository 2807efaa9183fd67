// All replies to one question beside each other, each with the model that gave it and what it was asked with, in the place of
// the one reply (Turns.tsx). One of them is kept as what the conversation goes on with; the others stay its versions.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useMemo, type ReactNode } from "react";
import { openOverlay } from "@/app/actions";
import { ReceiptLine } from "@/features/context";
import { ErrorNotice, tellFailure } from "@/features/errors";
import { isNobody, modelName, useModelNames, useProviderName } from "@/features/models";
import { call, type ConversationDetail, type ConversationId, type DefaultModel, type MessageId, type Version } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button, CopyButton, quiet, toast } from "@/shared/kit";
import { Counted, ReplyBody } from "./ReplyBody";
import { textOf, type ReplyRow, type RowActions } from "./rows";
import css from "./SideBySide.module.css";
import { showSides } from "./sides";
import { useRows } from "./toRows";
import turn from "./Turns.module.css";

interface SideBySideProps {
  conversationId: ConversationId;
  question: MessageId;
  /** The one that the conversation goes on with. */
  row: ReplyRow;
  actions: RowActions;
  /** It alone, until all are read. */
  alone: ReactNode;
}

export function SideBySide({ conversationId, question, row, actions, alone }: SideBySideProps) {
  const { t } = useTranslation(["chat", "talk"]);
  const versions = useQuery(queries.versions(conversationId, question, row.id));
  const detail = useQuery(queries.conversation(conversationId)).data;
  const messages = useMemo(() => versions.data?.flatMap((version) => version.messages) ?? [], [versions.data]);
  const rows = useRows(messages, detail?.open_turn ?? null);
  if (versions.isError) {
    return (
      <>
        <ErrorNotice failure={versions.error} actions={<Button onClick={() => void versions.refetch()}>{t("again", { ns: "talk" })}</Button>} />
        {alone}
      </>
    );
  }
  if (!versions.data || !detail) return alone;
  const asking = detail.open_turn !== null && messages.some(({ turn_id }) => turn_id === detail.open_turn);
  return (
    <div className={css.all} role="group" aria-label={t("sides.label")} data-sides>
      <div className={css.grid}>
        {versions.data.map((version) => {
          const id = version.messages[0]!.id;
          const reply = rows.find((one): one is ReplyRow => one.key === id && one.kind === "assistant");
          return (
            reply && <Side key={id} version={version} reply={reply} shown={id === row.id} question={question} detail={detail} actions={actions} />
          );
        })}
        {asking && detail.also.map((choice, at) => <Next key={at} choice={choice} first={at === 0} />)}
      </div>
      <div className={turn.foot}>
        <span className={turn.space} />
        <Button
          variant="quiet"
          className={turn.sides}
          onClick={({ currentTarget }) => {
            leave(currentTarget);
            showSides(question, false);
          }}
        >
          {t("sides.close")}
        </Button>
      </div>
    </div>
  );
}

/** What was pressed goes: its row is where the focus was. */
function leave(pressed: HTMLElement): void {
  pressed.closest<HTMLElement>("[data-row]")?.focus({ preventScroll: true });
}

/** Who gave a reply, as far as it is known. */
function useWho(): (model: string | null, provider: string | null) => string {
  const { t } = useTranslation("chat");
  const { alone } = useModelNames();
  const providerName = useProviderName();
  return (model, provider) => {
    if (provider !== null && isNobody(provider)) return providerName(provider);
    if (model === null) return t("assistant");
    return provider === null ? modelName(model) : alone(model, provider);
  };
}

interface SideProps extends Pick<SideBySideProps, "question" | "actions"> {
  version: Version;
  /** The same as a row. */
  reply: ReplyRow;
  /** It is the one that the conversation goes on with. */
  shown: boolean;
  detail: ConversationDetail;
}

function Side({ version, reply, shown, question, detail, actions }: SideProps) {
  const { t } = useTranslation(["chat", "actions"]);
  const client = useQueryClient();
  const nameId = useId();
  const who = useWho();
  const providerName = useProviderName();
  const { id } = detail.item;
  const { provider, messages } = version;
  const model = messages.findLast(({ role }) => role === "assistant")?.model ?? null;
  const name = who(model, provider);
  const choice = provider !== null && model !== null ? { provider, model } : null;
  const streaming = reply.status === "streaming";
  const text = textOf(reply.parts);
  const answering = detail.open_turn !== null;

  const ask = () => (choice ? actions.onAsk(reply.id, question, choice) : actions.onRetry(reply.id));
  const goOn = (choice: DefaultModel) => void call("conversation_model", { id, choice }).catch(tellFailure);
  const keep = async (pressed: HTMLElement) => {
    try {
      await call("branch_switch", { id: reply.id });
      await client.invalidateQueries({ queryKey: ["conversation", id] });
    } catch (thrown) {
      return tellFailure(thrown);
    }
    leave(pressed);
    showSides(question, false);
    const other = choice && (choice.provider !== detail.provider || choice.model !== detail.model) ? choice : null;
    toast({
      kind: "kept",
      text: t("sides.kept"),
      action: other ? { label: t("sides.goOn", { model: name }), run: () => goOn(other) } : undefined,
    });
  };
  return (
    <article className={css.side} aria-labelledby={nameId} data-shown={shown || undefined}>
      <header className={css.head}>
        <span id={nameId} className={css.name} title={provider === null ? undefined : providerName(provider)}>
          {name}
        </span>
        {shown && <span className={css.shown}>{t("sides.shown")}</span>}
      </header>
      <ReplyBody
        row={reply}
        actions={actions}
        beside={{
          // One reply is on its way at a time.
          again: answering ? null : ask,
          onEnterKey: () => openOverlay({ kind: "settings", tab: "models", provider: provider ?? undefined }),
        }}
      />
      <div className={`${turn.foot} ${css.foot}`}>
        {reply.usage && <Counted usage={reply.usage} />}
        {!streaming && reply.recorded && reply.turnId ? <ReceiptLine turnId={reply.turnId} /> : <span className={turn.space} />}
      </div>
      {!streaming && text !== "" && (
        <div className={css.acts}>
          <Button
            disabled={answering}
            title={answering ? t("answeringNow", { ns: "actions" }) : undefined}
            onClick={({ currentTarget }) => void keep(currentTarget)}
          >
            {t("sides.keep")}
          </Button>
          <CopyButton text={text} label={t("actions.copy")} />
        </div>
      )}
    </article>
  );
}

/** A model whose turn has not come. */
function Next({ choice, first }: { choice: DefaultModel; first: boolean }) {
  const { t } = useTranslation("chat");
  const nameId = useId();
  const name = useWho()(choice.model, choice.provider);
  return (
    <article className={css.side} aria-labelledby={nameId} data-waits>
      <header className={css.head}>
        <span id={nameId} className={css.name} title={choice.provider}>
          {name}
        </span>
      </header>
      <p className={quiet.words}>{t(first ? "sides.next" : "sides.later", { model: name })}</p>
    </article>
  );
}
