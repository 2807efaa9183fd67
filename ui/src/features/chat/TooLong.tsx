// What makes a message too long to send, the heaviest first, each with the way to take it out; and another model.
import { useQueryClient } from "@tanstack/react-query";
import { X } from "lucide-react";
import { draftOf, nameOf, removeAttachment } from "@/features/attachments";
import { nextView, useBlockWords, wishable } from "@/features/context";
import { tellFailure } from "@/features/errors";
import { call, type ConversationDetail, type RequestView } from "@/ipc";
import { formatTokens, useTranslation } from "@/shared/i18n";
import { announce, Button } from "@/shared/kit";
import css from "./TooLong.module.css";
import { OtherModel } from "./Waiting";

/** How many are named, and the share of what fits below which none is worth it. */
const MOST = 3;
const LEAST = 0.05;

interface TooLongProps {
  conversation: ConversationDetail;
  request: RequestView;
  /** What had the focus is gone: it goes on. */
  onLeave: () => void;
}

export function TooLong({ conversation, request, onLeave }: TooLongProps) {
  const { t } = useTranslation(["context", "attach"]);
  const { pieceTitle } = useBlockWords();
  const client = useQueryClient();
  const { id } = conversation.item;
  const { pieces } = nextView(request);
  // A pasted text is words of the message; what the model does not read is in the draft and not in the request.
  const goes = new Set(pieces.flatMap(({ attached }) => attached.map(({ hash }) => hash)));
  const drafts = draftOf(conversation).filter(({ part }) => part.type === "pasted" || goes.has(part.hash));
  const attached = drafts.map((drafted) => {
    const name = nameOf(drafted.part);
    const takeOut = () => removeAttachment(client, id, drafted);
    return { key: drafted.part.hash, tokens: drafted.part.tokens, label: t("remove", { name, ns: "attach" }), takeOut };
  });
  const mayGo = pieces.filter((piece) => wishable(piece).leaveOut);
  const sections = mayGo.map((piece) => {
    const { id: section, source, tokens } = piece;
    const name = pieceTitle(piece);
    const takeOut = async () => {
      await call("section_wish", { conversation_id: id, id: section, source, wish: "left_out" });
      announce(t("wish.leftOut", { name }));
    };
    return { key: section, tokens, label: t("wish.leaveOutName", { name }), takeOut };
  });
  const heaviest = [...attached, ...sections]
    .filter(({ tokens }) => tokens >= request.budget * LEAST)
    .sort((a, b) => b.tokens - a.tokens)
    .slice(0, MOST);
  return (
    <span className={css.ways}>
      {heaviest.map(({ key, tokens, label, takeOut }) => (
        <Button
          key={key}
          icon={<X aria-hidden />}
          onClick={() => {
            onLeave();
            takeOut().catch(tellFailure);
          }}
          data-numeric
        >
          <span className={css.name} title={label}>{label}</span>{" "}
          <span className={css.tokens}>{formatTokens(tokens)}</span>
        </Button>
      ))}
      <OtherModel />
    </span>
  );
}
