// The list of moments by day, with the lines of work in a gutter. It is one stop of the Tab key; arrows choose.
import { Pin } from "lucide-react";
import { useEffect, useId, useMemo, useRef, type KeyboardEvent } from "react";
import type { CheckpointId, CheckpointItem } from "@/ipc";
import { formatBytes, formatDay, formatMoment, useTranslation } from "@/shared/i18n";
import { frame } from "@/shared/kit";
import css from "./checkpoints.module.css";
import { byDay, type Lane } from "./moments";
import { useCheckpointWords } from "./words";

/** How wide a line of work is, in pixels. */
const LANE = 12;

interface TimelineProps {
  items: readonly CheckpointItem[];
  chosen: CheckpointId;
  onChoose: (id: CheckpointId) => void;
}

export function Timeline({ items, chosen, onChoose }: TimelineProps) {
  const { t } = useTranslation("checkpoints");
  const words = useCheckpointWords();
  const days = useMemo(() => byDay(items), [items]);
  const width = Math.max(...days.flatMap(({ moments }) => moments.map(({ lanes }) => lanes.length)));
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const optionId = (of: CheckpointId) => `${id}-${of}`;
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const keyDown = (event: KeyboardEvent) => {
    const at = items.findIndex((item) => item.id === chosen);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = items[to];
    if (next) onChoose(next.id);
  };
  return (
    <div
      ref={list}
      className={frame.list}
      role="listbox"
      data-in-page
      aria-label={t("checkpoints", { ns: "rail" })}
      aria-activedescendant={optionId(chosen)}
      tabIndex={0}
      onKeyDown={keyDown}
    >
      {days.map(({ at, moments }) => (
        <div key={at} role="group" aria-label={formatDay(at)}>
          <div className={css.day} aria-hidden>
            {formatDay(at)}
          </div>
          {moments.map(({ item, lanes }) => (
            // eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the list has the focus and the keys
            <div
              key={item.id}
              id={optionId(item.id)}
              role="option"
              aria-selected={item.id === chosen}
              className={css.moment}
              onClick={() => onChoose(item.id)}
            >
              <Gutter lanes={lanes} width={width} />
              <span className={css.momentText}>
                <span className={css.line}>
                  <time dateTime={item.created_at} title={formatMoment(Date.parse(item.created_at))}>
                    {words.time(item)}
                  </time>
                  <span className={css.name}>
                    {item.tag !== null ? <strong>{item.tag}</strong> : words.reason(item.reason)}
                  </span>
                  {item.pinned && <Pin role="img" aria-label={t("pinned")} />}
                </span>
                <span className={css.facts} data-numeric>
                  {[
                    item.tag !== null && words.reason(item.reason),
                    item.files === null ? t("noFiles") : t("changed", { count: item.changed }),
                    formatBytes(item.bytes),
                  ]
                    .filter(Boolean)
                    .join(" · ")}
                </span>
              </span>
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}

function Gutter({ lanes, width }: { lanes: readonly Lane[]; width: number }) {
  return (
    <span className={css.gutter} style={{ inlineSize: width * LANE }} aria-hidden>
      {lanes.map((lane, at) => (
        <i
          key={at}
          data-above={lane.above || undefined}
          data-below={lane.below || undefined}
          data-here={lane.here || undefined}
          data-joins={lane.joins || undefined}
        />
      ))}
    </span>
  );
}
