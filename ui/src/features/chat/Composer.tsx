// The field a message is written in. The text lives in the field itself, not in React state: a key
// press renders nothing. The owner gets drafts by onDraftChange and sets text through the handle.
import { ArrowUp, Square } from "lucide-react";
import {
  useCallback,
  useEffect,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
} from "react";
import { takePaste, type Pasting } from "@/features/attachments";
import { useTranslation } from "@/shared/i18n";
import { Button } from "@/shared/kit";
import css from "./Composer.module.css";
import { IDLE, step, type EnterEvent } from "./hangulEnter";
import { MentionList } from "./MentionList";
import { SlashList } from "./SlashList";
import { useMentions, type FindPaths } from "./useMentions";
import { useSlash, type Offering } from "./useSlash";

export interface ComposerHandle {
  focus: () => void;
  setText: (text: string) => void;
  getText: () => string;
}

export interface ComposerProps {
  ref?: Ref<ComposerHandle>;
  initialText?: string;
  answering?: boolean;
  /** Messages that wait for the running answer to end. */
  queued?: number;
  /** Shown in place of "Send" when sending first needs something else ("Connect a model"). */
  sendLabel?: string;
  placeholder?: string;
  /** Returning false keeps the text in the field. */
  onSend: (text: string) => boolean | void;
  onStop: () => void;
  onEditLast: () => void;
  onDraftChange?: (text: string) => void;
  /** Takes what of a paste does not go into the field. */
  pasting?: Pasting;
  /** Commands are offered: ours, and these. */
  commands?: Offering;
  /** Files that can be mentioned; a stable function. */
  findPaths?: FindPaths;
  /** Attached files, above the text. */
  attachments?: ReactNode;
  hasAttachments?: boolean;
  /** A file is still being read: nothing is sent without it. */
  attaching?: boolean;
  /** Why what is written cannot be sent as it is. */
  refusal?: string;
  /** What can be done about that, below it. */
  ways?: ReactNode;
  /** Nothing can be sent: what is written already can be read and copied. */
  disabled?: boolean;
  /** Beside the button that sends: what goes with the message, and to whom. */
  tools?: ReactNode;
  /** Last line: what the message will cost, or which keys there are. */
  hint?: ReactNode;
}

export function Composer(props: ComposerProps) {
  const { ref, initialText = "", answering = false, queued = 0, hasAttachments = false } = props;
  const { t } = useTranslation("chat");
  const field = useRef<HTMLTextAreaElement>(null);
  const mirror = useRef<HTMLTextAreaElement>(null);
  const enter = useRef(IDLE);
  const hintId = useId();
  const listId = useId();
  const [empty, setEmpty] = useState(initialText.trim() === "");
  const current = useRef(props);
  useLayoutEffect(() => {
    current.current = props;
  });

  const changed = useCallback(() => {
    const text = field.current!.value;
    fit(field.current!, mirror.current!);
    setEmpty(text.trim() === "");
    current.current.onDraftChange?.(text);
  }, []);

  const mentions = useMentions(field, props.findPaths, changed);
  const slash = useSlash(field, props.commands ?? null, changed);
  const offers = slash.hits.length > 0 ? slash : mentions;
  const { hits, pick } = offers;
  const setText = useCallback(
    (text: string) => {
      field.current!.value = text;
      field.current!.setSelectionRange(text.length, text.length);
      changed();
    },
    [changed],
  );

  const send = useCallback(() => {
    const text = field.current!.value.trim();
    const { hasAttachments, attaching, refusal, sendLabel, onSend } = current.current;
    if (attaching || refusal !== undefined || current.current.disabled) return;
    if (text === "" && !hasAttachments && sendLabel === undefined) return;
    if (onSend(text) !== false) setText("");
  }, [setText]);

  useImperativeHandle(
    ref,
    () => ({
      focus: () => field.current!.focus({ preventScroll: true }),
      setText,
      getText: () => field.current!.value,
    }),
    [setText],
  );

  useLayoutEffect(() => {
    fit(field.current!, mirror.current!);
    const observer = new ResizeObserver(() => fit(field.current!, mirror.current!));
    observer.observe(mirror.current!.parentElement!);
    return () => observer.disconnect();
  }, []);

  const feed = useCallback(
    (event: EnterEvent): boolean => {
      const verdict = step(enter.current, event);
      enter.current = verdict.state;
      if (verdict.schedule) setTimeout(() => feed({ type: "timer" }), 0);
      if (verdict.send && !pick()) send();
      return verdict.prevent ?? false;
    },
    [pick, send],
  );

  // React's onBeforeInput is its own older event; the native one tells the kind of input.
  useEffect(() => {
    const element = field.current!;
    const beforeInput = (event: InputEvent) => {
      if (!/^insert(LineBreak|Paragraph)$/.test(event.inputType)) return;
      if (feed({ type: "linebreak" })) event.preventDefault();
    };
    element.addEventListener("beforeinput", beforeInput);
    return () => element.removeEventListener("beforeinput", beforeInput);
  }, [feed]);

  const keyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { isComposing, keyCode } = event.nativeEvent;
    const modified = event.shiftKey || event.ctrlKey || event.altKey || event.metaKey;
    if (feed({ type: "keydown", key: event.key, keyCode, isComposing, modified })) {
      event.preventDefault();
    }
    if (isComposing || keyCode === 229 || modified) return;
    if (offers.keyDown(event)) {
      event.preventDefault();
      return;
    }
    if (event.key === "Escape" && answering) {
      event.preventDefault();
      props.onStop();
    } else if (event.key === "ArrowUp" && event.currentTarget.value === "") {
      event.preventDefault();
      props.onEditLast();
    }
  };

  const paste = (event: ClipboardEvent) => {
    if (props.pasting) takePaste(event, props.pasting);
  };

  const sendable = !empty || hasAttachments;
  return (
    <div className={css.composer}>
      {offers === slash ? (
        <SlashList id={listId} slash={slash} />
      ) : (
        hits.length > 0 && <MentionList id={listId} mentions={mentions} />
      )}
      <div className={css.fieldFrame}>
        {props.attachments}
        <textarea
          ref={field}
          className={css.field}
          rows={1}
          defaultValue={initialText}
          readOnly={props.disabled}
          aria-disabled={props.disabled}
          aria-label={t("composer.label")}
          aria-describedby={hintId}
          aria-autocomplete={props.findPaths || props.commands ? "list" : undefined}
          aria-controls={hits.length > 0 ? listId : undefined}
          aria-activedescendant={hits.length > 0 ? `${listId}-${offers.active}` : undefined}
          placeholder={props.placeholder ?? t("composer.placeholder")}
          onInput={(event) => {
            feed({ type: "input", data: event.nativeEvent.data });
            changed();
            mentions.look();
            slash.look();
          }}
          onSelect={() => {
            mentions.look();
            slash.look();
          }}
          onCompositionStart={({ data }) => feed({ type: "compositionstart", data })}
          onCompositionUpdate={({ data }) => feed({ type: "compositionupdate", data })}
          onCompositionEnd={({ data }) => feed({ type: "compositionend", data })}
          onKeyDown={keyDown}
          onKeyUp={({ key }) => feed({ type: "keyup", key })}
          onBlur={() => {
            feed({ type: "blur" });
            mentions.close();
            slash.close();
          }}
          onPaste={paste}
        />
        <textarea ref={mirror} className={css.mirror} rows={1} tabIndex={-1} aria-hidden readOnly />
      </div>
      {props.refusal !== undefined && (
        <div className={css.refusal}>
          <p role="status">{props.refusal}</p>
          {props.ways}
        </div>
      )}
      <div className={css.row}>
        <div className={css.tools}>{props.tools}</div>
        {queued > 0 && <span className={css.queued}>{t("composer.queued", { count: queued })}</span>}
        {answering && (
          <Button icon={<Square fill="currentColor" aria-hidden />} onClick={props.onStop}>
            {t("composer.stop")}
          </Button>
        )}
        {(!answering || sendable) && (
          <Button
            variant={answering ? "plain" : "primary"}
            icon={<ArrowUp aria-hidden />}
            disabled={
              props.disabled ||
              props.attaching ||
              props.refusal !== undefined ||
              (!sendable && props.sendLabel === undefined)
            }
            title={props.refusal ?? (answering ? t("composer.queueHint") : undefined)}
            onClick={() => {
              send();
              field.current!.focus({ preventScroll: true });
            }}
          >
            {answering ? t("composer.queue") : (props.sendLabel ?? t("composer.send"))}
          </Button>
        )}
      </div>
      <div id={hintId} className={css.hint}>
        {props.hint ?? t("composer.keys")}
      </div>
    </div>
  );
}

/**
 * Grows the field with its text (WebKitGTK has no field-sizing). A hidden copy is measured, which
 * has a layout of its own: the field never collapses, so the list above never moves back and forth.
 */
function fit(field: HTMLTextAreaElement, mirror: HTMLTextAreaElement): void {
  mirror.value = field.value;
  const height = `${mirror.scrollHeight}px`;
  if (field.style.height !== height) field.style.height = height;
}
