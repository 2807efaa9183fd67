// A request in one line: what it holds, each a chip, and how full the window gets. Above the composer it is the next one,
// and the person takes things out, pins them and adds what is offered; where several models are asked, each has its own.
// Under a reply it is the receipt of what was sent.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { Pin, PinOff, Plus, X } from "lucide-react";
import { Fragment, useEffect, useLayoutEffect, useRef, useState, type ComponentProps, type KeyboardEvent, type ReactNode } from "react";
import { openOverlay, showContext, showSummaries } from "@/app/actions";
import { tellFailure } from "@/features/errors";
import { useModelNames, useProviderName } from "@/features/models";
import { call, type ConversationDetail, type ConversationId, type ConversationItem, type DefaultModel, type RequestView, type SummaryPanel, type TurnId, type Wish } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatTokens, useTranslation } from "@/shared/i18n";
import { announce, Button, IconButton, Popover, quiet, Tooltip } from "@/shared/kit";
import { useAlso } from "./also";
import { isAddable, partsOf, type Addable, type LinePart } from "./line";
import { useRequestPreview } from "./preview";
import { PlaceChip } from "./PlaceChip";
import { useReading } from "./reading";
import { ReadingChip } from "./ReadingChip";
import css from "./RequestLine.module.css";
import { blocksOf, goesAlone, isRecalled, nextView, sentView, wishable, type Drawn, type Piece } from "./view";
import { useBlockWords } from "./words";

/** Pieces of a chip that are listed; the pane has all. */
const MOST = 12;

const isFolding = ({ busy }: SummaryPanel) => busy !== null;

interface RequestLineProps {
  conversation: Pick<ConversationItem, "id" | "project_id">;
  /** Another than the conversation's. */
  model?: DefaultModel;
  /** One of several: it says to whom it goes. */
  named?: boolean;
  /** What had the focus is gone: it goes on. */
  onLeave: () => void;
}

/** One to each model that the next message is asked of, the conversation's own first. */
export function RequestLines({ conversation, onLeave }: Pick<RequestLineProps, "onLeave"> & { conversation: ConversationDetail }) {
  const also = useAlso(conversation);
  return [undefined, ...also].map((model) => (
    <RequestLine
      key={model ? `${model.provider} ${model.model}` : ""}
      conversation={conversation.item}
      model={model}
      named={also.length > 0}
      onLeave={onLeave}
    />
  ));
}

export function RequestLine({ conversation, model, named = false, onLeave }: RequestLineProps) {
  const { t } = useTranslation("context");
  const { alone } = useModelNames();
  const providerName = useProviderName();
  const { data } = useRequestPreview(conversation, model);
  const reading = useReading(conversation.project_id);
  const folding = useQuery({ ...queries.summaries(conversation.id), select: isFolding }).data ?? false;
  if (!data) return <div className={css.line} />;
  const { id, project_id } = conversation;
  const { pieces } = nextView(data);
  const show = (section?: string) => showContext("next", section, model);
  // Where the work stopped has a chip of its own while it can be taken or left.
  const parts = partsOf(pieces).filter(({ kind }) => kind !== "stopped" || data.place === null);
  const untrusted = data.left_out.filter(({ why }) => why === "untrusted").length;
  const besides: Chip[] = [
    ...(reading ? [{ key: "reading", node: <ReadingChip projectId={project_id} onLeave={onLeave} /> }] : []),
    ...(data.place ? [{ key: "place", node: <PlaceChip conversation={conversation} onLeave={onLeave} /> }] : []),
    ...data.left_out.filter(isAddable).map((item, at) => ({
      key: `add:${item.id}:${at}`,
      node: <AddChip item={item} conversationId={id} onLeave={onLeave} />,
    })),
    ...(untrusted > 0 ? [{ key: "untrusted", node: <Untrusted count={untrusted} /> }] : []),
  ];
  const chips: Chip[] = [
    // Who writes nothing yet sends something all the same once they do.
    ...(parts[0]?.kind === "you" ? [] : [{ key: "you", node: <You /> }]),
    ...parts.map((part) => ({ key: part.kind, node: <PartChip part={part} pieces={pieces} conversationId={id} onShow={show} onLeave={onLeave} /> })),
    // Nothing can be added to what goes alone.
    ...(goesAlone(data.left_out) ? [{ key: "alone", node: <Alone onShow={show} /> }] : besides),
  ];
  const name = data.provider === "offline" ? providerName(data.provider) : alone(data.model, data.provider);
  return (
    <div className={css.line} role="group" aria-label={named ? t("line.labelTo", { model: name }) : t("line.label")} data-tours="line">
      {named && (
        <span className={css.to} title={`${providerName(data.provider)}: ${name}`} aria-hidden>
          {name}
        </span>
      )}
      <Row chips={chips} />
      <Share request={data} folding={folding && !model} onShow={show} />
    </div>
  );
}

interface Chip {
  key: string;
  node: ReactNode;
}

/** As many chips as there is room for; the others wait behind their number. */
function Row({ chips }: { chips: readonly Chip[] }) {
  const { t } = useTranslation("context");
  const row = useRef<HTMLUListElement>(null);
  const [fits, setFits] = useState(chips.length);
  const keys = chips.map(({ key }) => key).join();
  useLayoutEffect(() => {
    const measure = () => {
      const all = [...row.current!.children] as HTMLElement[];
      const top = all[0]?.offsetTop ?? 0;
      // What does not fit has wrapped below, where nobody sees it.
      const wrapped = all.findIndex((chip) => chip.offsetTop > top);
      setFits(wrapped < 0 ? all.length : wrapped);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(row.current!);
    for (const chip of row.current!.children) observer.observe(chip);
    return () => observer.disconnect();
  }, [keys]);
  const hidden = chips.slice(fits);
  return (
    <>
      <ul ref={row} className={css.chips}>
        {chips.map(({ key, node }, at) => (
          <li key={key} className={css.item} data-hidden={at >= fits || undefined}>
            {node}
          </li>
        ))}
      </ul>
      {hidden.length > 0 && (
        <Popover
          title={t("line.also")}
          trigger={
            <ChipButton tip={t("line.also")} aria-label={`+${hidden.length}: ${t("line.more", { count: hidden.length })}`} data-numeric>
              +{hidden.length}
            </ChipButton>
          }
        >
          <ul className={css.more}>
            {hidden.map(({ key, node }) => (
              <li key={key}>{node}</li>
            ))}
          </ul>
        </Popover>
      )}
    </>
  );
}

function ChipButton({ tip, className, ...rest }: ComponentProps<"button"> & { tip: string }) {
  return (
    <Tooltip text={tip}>
      <button type="button" {...rest} className={[css.chip, className].filter(Boolean).join(" ")} />
    </Tooltip>
  );
}

function You() {
  const { t } = useTranslation("context");
  return <span className={css.chip}>{t("line.you")}</span>;
}

interface PartChipProps {
  part: LinePart<Piece>;
  /** All of the request, by which the pane knows where it stands. */
  pieces: readonly Piece[];
  conversationId: ConversationId;
  /** Opens the pane on this request, and on a block of it. */
  onShow: (block?: string) => void;
  onLeave: () => void;
}

/** Opens to its pieces; Delete takes out what may go of it. */
function PartChip({ part, pieces, conversationId, onShow, onLeave }: PartChipProps) {
  const { t } = useTranslation("context");
  const { partName, pieceTitle, why } = useBlockWords();
  const [open, setOpen] = useState(false);
  const name = partName(part);
  const mine = part.pieces;
  const [first] = mine as [Piece];
  const size = t("line.tokens", { tokens: formatTokens(part.tokens) });
  const tip = [...(mine.length === 1 ? [pieceTitle(first)] : []), size, why(first.reason)].join(" · ");
  const pinned = mine.every((piece) => piece.pinned);
  const goes = mine.filter((piece) => wishable(piece).leaveOut);
  const few = goes.length > 0 && goes.length <= MOST;
  const leaveOut = async (out: readonly Piece[]) => {
    try {
      for (const { id, source } of out) await call("section_wish", { conversation_id: conversationId, id, source, wish: "left_out" });
      announce(t("wish.leftOut", { name: out.length === 1 ? pieceTitle(out[0]!) : name }));
    } catch (thrown) {
      tellFailure(thrown);
    }
  };
  const leaveAll = () => {
    setOpen(false);
    onLeave();
    void leaveOut(goes);
  };
  const keyDown = (event: KeyboardEvent) => {
    if (!few || (event.key !== "Delete" && event.key !== "Backspace")) return;
    event.preventDefault();
    leaveAll();
  };
  const pin = (piece: Piece) => {
    const wish: Wish | null = piece.pinned ? null : "pinned";
    call("section_wish", { conversation_id: conversationId, id: piece.id, source: piece.source, wish }).then(
      () => announce(t(piece.pinned ? "wish.unpinned" : "wish.pinned", { name: pieceTitle(piece) })),
      tellFailure,
    );
  };
  const show = (piece: Piece) => {
    setOpen(false);
    onShow(blocksOf(pieces).find((block) => block.pieces.includes(piece))?.id);
  };
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      title={t("line.of", { name, tokens: formatTokens(part.tokens) })}
      trigger={
        <ChipButton tip={tip} aria-label={pinned ? t("line.pinned", { name }) : undefined} onKeyDown={keyDown} data-numeric>
          {pinned && <Pin aria-hidden />}
          {name}
        </ChipButton>
      }
    >
      <ul className={css.pieces}>
        {mine.slice(-MOST).map((piece) => (
          <PieceRow
            key={piece.id}
            piece={piece}
            onShow={() => show(piece)}
            onPin={() => pin(piece)}
            onLeaveOut={() => {
              if (mine.length > 1) return void leaveOut([piece]);
              setOpen(false);
              onLeave();
              void leaveOut([piece]);
            }}
          />
        ))}
      </ul>
      <div className={css.foot}>
        <Button variant="quiet" onClick={() => show(first)}>
          {t("line.open")}
        </Button>
        {few && mine.length > 1 && (
          <Button variant="quiet" onClick={leaveAll}>
            {t("line.leaveAll")}
          </Button>
        )}
      </div>
    </Popover>
  );
}

interface PieceRowProps {
  piece: Piece;
  onShow: () => void;
  onPin: () => void;
  onLeaveOut: () => void;
}

function PieceRow({ piece, onShow, onPin, onLeaveOut }: PieceRowProps) {
  const { t } = useTranslation("context");
  const { pieceTitle, why } = useBlockWords();
  const may = wishable(piece);
  const name = pieceTitle(piece);
  return (
    <li className={css.piece}>
      <button type="button" className={css.pieceName} onClick={onShow}>
        <span>{name}</span>
        <span className={quiet.note}>{why(piece.reason)}</span>
      </button>
      <span className={css.tokens} data-numeric>
        {formatTokens(piece.tokens)}
      </span>
      {may.pin && (
        <IconButton
          label={t(piece.pinned ? "wish.unpinName" : "wish.pinName", { name })}
          icon={piece.pinned ? <PinOff aria-hidden /> : <Pin aria-hidden />}
          onClick={onPin}
        />
      )}
      {may.leaveOut && (
        <IconButton
          label={isRecalled(piece) ? t("wish.reject") : t("wish.leaveOutName", { name })}
          icon={<X aria-hidden />}
          onClick={onLeaveOut}
        />
      )}
    </li>
  );
}

interface AddChipProps {
  item: Addable;
  conversationId: ConversationId;
  onLeave: () => void;
}

/** Not sent: one press and it is. */
function AddChip({ item: { id, source, why, tokens }, item, conversationId, onLeave }: AddChipProps) {
  const { t } = useTranslation("context");
  const { leftOutName } = useBlockWords();
  const name = leftOutName(item);
  const add = () => {
    const pins = why === "small_talk";
    onLeave();
    call("section_wish", { conversation_id: conversationId, id, source, wish: pins ? "pinned" : null }).then(
      () => announce(t(pins ? "wish.pinned" : "wish.takenBack", { name })),
      tellFailure,
    );
  };
  const out = why === "by_you" && isRecalled(item) ? t("rejected") : t(`leftOutWhy.${why}`);
  return (
    <ChipButton
      className={css.ghost}
      tip={[out, t("line.tokens", { tokens: formatTokens(tokens) })].join(" · ")}
      aria-label={t("line.add", { name })}
      onClick={add}
    >
      <Plus aria-hidden />
      <span className={css.name}>{name}</span>
    </ChipButton>
  );
}

/** Why nothing else is in the line: the message is a command of the agent's own. */
function Alone({ onShow }: Pick<PartChipProps, "onShow">) {
  const { t } = useTranslation("context");
  return (
    <ChipButton tip={t("alone")} onClick={() => onShow()}>
      {t("leftOutWhy.agent_command")}
    </ChipButton>
  );
}

function Untrusted({ count }: { count: number }) {
  const { t } = useTranslation("context");
  return (
    <ChipButton
      className={css.ghost}
      tip={t("leftOutWhy.untrusted")}
      onClick={() => openOverlay({ kind: "settings", tab: "projects" })}
    >
      <Plus aria-hidden />
      {t("line.untrusted", { count })}
    </ChipButton>
  );
}

/** How full the window gets; and, while it is so, that earlier messages are being folded, or that nobody knows what it holds. */
function Share({ request, folding, onShow }: Pick<PartChipProps, "onShow"> & { request: RequestView; folding: boolean }) {
  const { t } = useTranslation("context");
  const { requestTotal, shareOf } = useBlockWords();
  const { alone } = useModelNames();
  const { sections, tokens, budget, model, window, window_source, provider } = request;
  const total = requestTotal({ pieces: sections, tokens, budget });
  return (
    <span className={css.share}>
      {folding && (
        <ChipButton tip={t("line.foldingHint")} onClick={() => showSummaries()}>
          {t("folding")}
        </ChipButton>
      )}
      <ChipButton
        tip={total}
        aria-label={`${shareOf(tokens, budget)}: ${total}`}
        data-over={tokens > budget || undefined}
        onClick={() => onShow()}
        data-numeric
      >
        {shareOf(tokens, budget)}
      </ChipButton>
      {window_source === "assumed" && provider !== "offline" && (
        <ChipButton
          tip={t("window.assumedHint", { model: alone(model, provider), tokens: formatTokens(window) })}
          onClick={() => openOverlay({ kind: "window", model, name: alone(model, provider), tokens: window })}
        >
          {t("window.assumed")}
        </ChipButton>
      )}
    </span>
  );
}

/** How long a reply is in sight before its receipt is read: who scrolls past it asks for nothing. */
const REST = 150;

interface Receipt {
  provider: string;
  parts: LinePart[];
  tokens: number;
  budget: number;
}

/** Without its texts, which may be long. */
async function receiptOf(id: TurnId): Promise<Receipt> {
  const { provider, pieces, tokens, budget } = sentView(await call("request_sent", { id }));
  const drawn = pieces.map(({ id, kind, source, tokens, exact, reason, pinned, turns }): Drawn => ({ id, kind, source, tokens, exact, reason, pinned, turns }));
  return { provider, parts: partsOf(drawn), tokens, budget };
}

// What was sent does not change; the whole of it says what has changed since.
const receipt = (id: TurnId) => queryOptions({ queryKey: ["receipt", id], queryFn: () => receiptOf(id), staleTime: Infinity });

/** Whom a turn asked that is over; where it is not wanted, once its receipt was read for something else. */
export function useAsked(turnId: TurnId | undefined, wanted: boolean): string | undefined {
  return useQuery({ ...receipt(turnId ?? ""), enabled: wanted && turnId !== undefined }).data?.provider;
}

/** Under a reply: what went with its question. It opens the whole of it. */
export function ReceiptLine({ turnId }: { turnId: TurnId }) {
  const { t } = useTranslation("context");
  const { partName, shareOf } = useBlockWords();
  const [rested, setRested] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setRested(true), REST);
    return () => clearTimeout(timer);
  }, []);
  const { data } = useQuery({ ...receipt(turnId), enabled: rested });
  if (!data) return <span className={css.receipt} />;
  const said = data.parts.map((part) => ({ kind: part.kind, name: partName(part) }));
  const share = shareOf(data.tokens, data.budget);
  const whole = [...said.map(({ name }) => name), share].join(" · ");
  return (
    <button
      type="button"
      className={css.receipt}
      data-tours="receipt"
      title={whole}
      aria-label={t("line.receipt", { parts: whole })}
      onClick={() => showContext(turnId)}
      data-numeric
    >
      <span className={css.parts} aria-hidden>
        {said.map(({ kind, name }, at) => (
          <Fragment key={kind}>
            {at > 0 && " · "}
            {name}
          </Fragment>
        ))}
      </span>
      <span aria-hidden>· {share}</span>
    </button>
  );
}
