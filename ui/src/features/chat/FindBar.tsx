// Finding in the open conversation: hits in the order they were written, one at a time.
import { useQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronUp, X } from "lucide-react";
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { jumpTo } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import { call, type ConversationId } from "@/ipc";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { announce, IconButton } from "@/shared/kit";
import css from "./ChatScreen.module.css";

const REST = 150;
const MOST = 100;

export function FindBar({ conversationId, onClose }: { conversationId: ConversationId; onClose: () => void }) {
  const { t } = useTranslation("talk");
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    const timer = setTimeout(() => {
      setQuery(text.trim());
      setAt(0);
    }, REST);
    return () => clearTimeout(timer);
  }, [text]);

  const found = useQuery({
    queryKey: ["conversation", conversationId, "find", query],
    queryFn: async () => {
      const scope = { project_id: null, conversation_id: conversationId };
      const hits = await call("search", { query, scope, limit: MOST });
      // Ids grow with time, so that hits of one moment keep their order too.
      const order = (a: { created_at: string; message_id: string }) => `${a.created_at} ${a.message_id}`;
      return { ...hits, hits: hits.hits.toSorted((a, b) => order(a).localeCompare(order(b))) };
    },
    enabled: query !== "",
    gcTime: 1000,
  });
  const hits = found.data?.hits ?? [];
  const hit = hits[at]?.message_id;
  useEffect(() => {
    if (hit !== undefined) jumpTo(conversationId, { messageId: hit }, false);
  }, [conversationId, hit]);

  const more = found.data && (found.data.capped || found.data.total > hits.length);
  const place = `${formatNumber(at + 1)}/${formatNumber(hits.length)}${more ? "+" : ""}`;
  const count = query === "" || !found.data ? "" : hits.length > 0 ? place : t("find.none");
  useEffect(() => {
    if (count !== "") announce(count);
  }, [count]);

  const step = (by: number) => {
    if (hits.length === 0) return;
    const next = (at + by + hits.length) % hits.length;
    if (next === at && hit !== undefined) jumpTo(conversationId, { messageId: hit }, false);
    setAt(next);
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape") onClose();
    else if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className={css.find} role="search" aria-label={t("find.label")} onKeyDown={keyDown}>
      <input
        ref={field}
        className={css.findField}
        value={text}
        aria-label={t("find.field")}
        placeholder={t("find.field")}
        onChange={(event) => setText(event.target.value)}
      />
      <span className={css.findCount} data-numeric>
        {count}
      </span>
      <IconButton
        label={t("find.previous")}
        shortcut="Shift+Enter"
        icon={<ChevronUp size={16} aria-hidden />}
        disabled={hits.length === 0}
        onClick={() => step(-1)}
      />
      <IconButton
        label={t("find.next")}
        shortcut="Enter"
        icon={<ChevronDown size={16} aria-hidden />}
        disabled={hits.length === 0}
        onClick={() => step(1)}
      />
      <IconButton label={t("find.close")} icon={<X size={16} aria-hidden />} onClick={onClose} />
      {found.isError && <ErrorNotice failure={found.error} />}
    </div>
  );
}
