// Shows a message, or the place of one, that a link, a search or another screen asked for. When it is not loaded, the
// window of messages moves there and the list opens anew at it; when a closed fold hides a message, the fold opens.
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";
import { usePlace, type Target } from "@/app/actions";
import { tellFailure } from "@/features/errors";
import type { ConversationId } from "@/ipc";
import { bring, drawnIn, highlight, rangeOf } from "./highlight";
import type { MessageListHandle } from "./MessageList";
import { revealResult } from "@/features/tools";
import { loadAround, loadAt, loadNewest } from "./path";
import { shows, type Row } from "./rows";

interface Opening {
  /** Key of a row. */
  openAt: string | null;
  focus: boolean;
  generation: number;
}

export function useJump(
  id: ConversationId,
  list: RefObject<MessageListHandle | null>,
  rows: readonly Row[],
  reveal: (index: number) => void,
) {
  const client = useQueryClient();
  const jump = usePlace((place) => place.jump);
  const [opening, setOpening] = useState<Opening>({ openAt: null, focus: true, generation: 0 });

  const current = useRef(rows);
  useLayoutEffect(() => {
    current.current = rows;
  });

  // Once: who opens or closes a fold afterwards is not taken back there.
  const arrived = useRef<typeof jump>(null);
  useEffect(() => {
    if (!jump || jump === arrived.current || jump.conversationId !== id) return;
    const { to, focus } = jump;
    let live = true;
    const show = (key: string, moved: boolean) => {
      arrived.current = jump;
      if (moved || !list.current?.showRow(key, focus)) {
        setOpening(({ generation }) => ({ openAt: key, focus, generation: generation + 1 }));
      }
      // A message may be one of several of a row; a result is folded there until it is looked for.
      revealResult(key);
      mark(() => (live ? (current.current.find((row) => shows(row, key))?.key ?? key) : null), to);
    };
    const load = async () => {
      if ("index" in to) {
        const { moved, key } = await loadAt(client, id, to.index);
        if (live && key !== undefined) show(key, moved);
        return;
      }
      const { index, moved } = await loadAround(client, id, to.messageId);
      if (!live) return;
      reveal(index);
      show(to.messageId, moved);
    };
    load().catch(tellFailure);
    return () => {
      live = false;
    };
  }, [client, id, jump, list, reveal]);

  const toNewest = useCallback(async () => {
    await loadNewest(client, id);
    setOpening(({ generation }) => ({ openAt: null, focus: true, generation: generation + 1 }));
  }, [client, id]);

  /** Loads the message of an index where it is not, and opens the list anew at it then. */
  const bring = useCallback(
    async (index: number) => {
      const { moved, key } = await loadAt(client, id, index);
      if (!moved || key === undefined) return;
      setOpening(({ generation }) => ({ openAt: key, focus: true, generation: generation + 1 }));
    },
    [client, id],
  );

  return { ...opening, toNewest, bring };
}

/** Frames to wait for the row and its words: the list mounts and measures it after it has scrolled there. */
const PATIENCE = 30;
/** For so many frames words stay in sight before nothing is expected to move them any more. */
const STILL = 3;

/** Lights the row up for a moment, and the words in it, so that the eye finds them; who steps from word to word sees those. */
function mark(keyOf: () => string | null, to: Target): void {
  const words = "words" in to ? to.words : undefined;
  const steps = "nth" in to;
  let patience = PATIENCE;
  let still = 0;
  let lit = false;
  const look = () => {
    const key = keyOf();
    if (key === null) return;
    const row = [...document.querySelectorAll<HTMLElement>("[data-row]")].find(({ dataset }) => dataset.row === key);
    const range = row && words !== undefined ? wordsIn(row, to, words) : null;
    if (row && !steps && !lit) {
      lit = true;
      row.dataset.found = "";
      setTimeout(() => delete row.dataset.found, 2000);
      highlight(null);
    }
    if (range && !steps) highlight(range);
    still = range && !bring(range) ? still + 1 : 0;
    const waits = row ? words !== undefined && still < STILL : true;
    if (waits && patience > 0) requestAnimationFrame(look);
    patience -= 1;
  };
  requestAnimationFrame(look);
}

function wordsIn(row: HTMLElement, to: Target, words: string): Range | null {
  if ("nth" in to && to.nth !== undefined) return drawnIn(row, words).get(to.messageId)?.[to.nth] ?? null;
  const said = [...row.querySelectorAll("[data-said]"), row];
  return said.reduce<Range | null>((found, element) => found ?? rangeOf(element, words), null);
}
