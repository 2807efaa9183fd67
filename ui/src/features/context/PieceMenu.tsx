// What can be done with a piece of the next request: pin it, leave it out once (a passage of an earlier message: for good),
// open where it is from, copy its text.
import { BookmarkPlus, Copy, Ellipsis, EyeOff, Pin, PinOff, SquareArrowOutUpRight } from "lucide-react";
import { useRef } from "react";
import { tellFailure } from "@/features/errors";
import { call, type ConversationId, type Wish } from "@/ipc";
import { copyText } from "@/shared/clipboard";
import { useTranslation } from "@/shared/i18n";
import { announce, IconButton, Menu } from "@/shared/kit";
import { isRecalled, wishable, type Piece } from "./view";

interface PieceMenuProps {
  piece: Piece;
  /** What it is called. */
  name: string;
  conversationId: ConversationId;
  onLink: (url: string) => void;
}

export function PieceMenu({ piece, name, conversationId, onLink }: PieceMenuProps) {
  const { t } = useTranslation("context");
  const trigger = useRef<HTMLButtonElement>(null);
  const { id, source, link, text, pinned } = piece;
  const may = wishable(piece);
  const rejects = isRecalled(piece);

  const want = async (wish: Wish | null, said: string) => {
    // What is left out goes, and the focus with it, unless it went elsewhere before.
    const next = wish === "left_out" ? neighbour(trigger.current) : null;
    try {
      await call("section_wish", { conversation_id: conversationId, id, source, wish });
      next?.focus();
      announce(said);
    } catch (thrown) {
      tellFailure(thrown);
    }
  };
  const keeps = id.startsWith("mention:") || id.startsWith("passage:") || (id.startsWith("message:") && source !== "conversation");
  const keep = async () => {
    try {
      await call("memory_keep", { conversation_id: conversationId, section_id: id });
      announce(t("wish.kept", { name }));
    } catch (thrown) {
      tellFailure(thrown);
    }
  };
  const copy = async () => {
    const done = await copyText(text ?? "");
    announce(t(done ? "copied" : "copyFailed", { ns: "common" }));
  };
  return (
    <Menu
      align="end"
      trigger={<IconButton ref={trigger} label={t("wish.more", { name })} icon={<Ellipsis aria-hidden />} />}
      items={[
        {
          id: "pin",
          label: t(pinned ? "wish.unpin" : "wish.pin"),
          icon: pinned ? <PinOff aria-hidden /> : <Pin aria-hidden />,
          disabledReason: may.pin ? undefined : t(may.leaveOut ? "wish.notPinnable" : "wish.always"),
          onSelect: () => void want(pinned ? null : "pinned", t(pinned ? "wish.unpinned" : "wish.pinned", { name })),
        },
        {
          id: "leaveOut",
          label: t(rejects ? "wish.reject" : "wish.leaveOut"),
          icon: <EyeOff aria-hidden />,
          disabledReason: may.leaveOut ? undefined : t("wish.always"),
          onSelect: () => void want("left_out", t(rejects ? "wish.rejected" : "wish.leftOut", { name })),
        },
        ...(keeps
          ? [
              {
                id: "keep",
                label: t("wish.keep"),
                icon: <BookmarkPlus aria-hidden />,
                onSelect: () => void keep(),
              },
            ]
          : []),
        "separator",
        ...(link === null
          ? []
          : [
              {
                id: "open",
                label: t(link.startsWith("silt:summary/") ? "openSummary" : "open"),
                icon: <SquareArrowOutUpRight aria-hidden />,
                onSelect: () => onLink(link),
              },
            ]),
        { id: "copy", label: t("wish.copy"), icon: <Copy aria-hidden />, onSelect: () => void copy() },
      ]}
    />
  );
}

/** The button of the row after this one's, or before it. */
function neighbour(button: HTMLElement | null): HTMLElement | null {
  const row = button?.closest("li");
  const near = row?.nextElementSibling ?? row?.previousElementSibling;
  return near?.querySelector("button") ?? null;
}
