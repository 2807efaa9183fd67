// A button beside words that are selected in a message: they are remembered for the project.
import { BookmarkPlus } from "lucide-react";
import { useEffect, useState, type CSSProperties } from "react";
import { useAction } from "@/app/actions";
import { useTranslation } from "@/shared/i18n";
import { Button } from "@/shared/kit";
import { remember, type Where } from "./acts";
import css from "./memory.module.css";

/** Between the words and the button, and what the button needs, in pixels. */
const GAP = 6;
const HEIGHT = 44;

interface Selected {
  text: string;
  message: string;
  at: Pick<CSSProperties, "insetBlockStart" | "insetInlineStart">;
}

/** What is selected inside of one message. */
function selected(): Selected | null {
  const selection = window.getSelection();
  const text = selection?.toString().trim() ?? "";
  if (!selection || selection.isCollapsed || text === "") return null;
  const rowOf = (node: Node | null) =>
    (node instanceof Element ? node : node?.parentElement)?.closest<HTMLElement>("[role=log] [data-row]");
  const row = rowOf(selection.anchorNode);
  // Of several replies side by side, the one whose words they are.
  const message = selection.anchorNode?.parentElement?.closest<HTMLElement>("[data-said]")?.dataset.said ?? row?.dataset.row;
  if (!row || message === undefined || rowOf(selection.focusNode) !== row) return null;
  const box = selection.getRangeAt(0).getBoundingClientRect();
  const list = row.closest("[role=log]")!.getBoundingClientRect();
  // Never over what is above or below the messages.
  const top = Math.min(Math.max(box.bottom + GAP, list.top + GAP), list.bottom - HEIGHT);
  return { text, message, at: { insetBlockStart: top, insetInlineStart: box.left } };
}

export function RememberSelection({ projectId }: Pick<Where, "projectId">) {
  const { t } = useTranslation("memory");
  const [found, setFound] = useState<Selected | null>(null);
  useEffect(() => {
    const look = () => {
      // The palette takes the focus, and with it the selection; what it was is what the palette remembers.
      if (!document.activeElement?.closest("[role=dialog]")) setFound(selected());
    };
    const hide = () => setFound(null);
    document.addEventListener("selectionchange", look);
    // What is fixed to the window does not go with the words.
    document.addEventListener("scroll", hide, true);
    return () => {
      document.removeEventListener("selectionchange", look);
      document.removeEventListener("scroll", hide, true);
    };
  }, []);
  const act = ({ text, message }: Selected) => {
    void remember({ projectId, conversationId: null }, text, `silt:message/${message}`);
    window.getSelection()?.removeAllRanges();
  };
  useAction("remember", () => found && act(found), found ? null : t("remember.nothing"));
  if (!found) return null;
  return (
    // The press must not take the selection away before it is read.
    <div className={css.remember} style={found.at} onPointerDown={(event) => event.preventDefault()}>
      <Button icon={<BookmarkPlus aria-hidden />} onClick={() => act(found)}>
        {t("remember.selection")}
      </Button>
    </div>
  );
}
