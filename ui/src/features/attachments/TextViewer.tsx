// A text of any length to look at, for reading only: windowed, and a line without an end in pieces.
import { useQuery } from "@tanstack/react-query";
import { useMemo, useRef } from "react";
import { Virtualizer } from "virtua";
import { closeOverlay } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import { CopyButton, Dialog, Spinner } from "@/shared/kit";
import { useTranslation } from "@/shared/i18n";
import css from "./attachments.module.css";
import { textQuery } from "./picture";

interface TextViewerProps {
  name: string;
  /** Empty while it stays where it is kept, under `hash`. */
  text: string;
  hash: string;
}

/** Most letters of a piece. */
const PIECE = 1000;

export function TextViewer({ name, text, hash }: TextViewerProps) {
  const { t } = useTranslation("common");
  const scroller = useRef<HTMLDivElement>(null);
  const kept = useQuery({ ...textQuery(hash), enabled: text === "" });
  const shown = text === "" ? kept.data : text;
  const pieces = useMemo(() => shown?.match(LINES) ?? [], [shown]);
  return (
    <Dialog
      open
      size="l"
      onClose={closeOverlay}
      title={name}
      footer={shown !== undefined && <CopyButton text={shown} label={t("copy")} />}
    >
      {kept.isError && <ErrorNotice failure={kept.error} />}
      {shown === undefined && !kept.isError && <Spinner />}
      {shown !== undefined && (
        <div ref={scroller} className={css.text} role="document" aria-label={name} tabIndex={0} data-selectable>
          <Virtualizer scrollRef={scroller} data={pieces}>
            {(piece, index) => <p key={index}>{piece}</p>}
          </Virtualizer>
        </div>
      )}
    </Dialog>
  );
}

/** Lines with their ends, the long ones in pieces that no letter is cut by. */
const LINES = new RegExp(`[^\\n]{1,${PIECE}}\\n?|\\n`, "gu");
