// A body to read, windowed: a request with pictures in it has megabytes.
import { useMemo, useRef } from "react";
import { Virtualizer } from "virtua";
import { useTranslation } from "@/shared/i18n";
import css from "./egress.module.css";
import { bodyLines } from "./lines";

export function BodyView({ body }: { body: string }) {
  const { t } = useTranslation("egress");
  const scroller = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => bodyLines(body), [body]);
  return (
    <div ref={scroller} className={css.body} role="document" aria-label={t("body")} tabIndex={0} data-selectable>
      <Virtualizer scrollRef={scroller} data={lines}>
        {({ depth, text }, index) => (
          <code key={index} className={css.line} style={{ paddingInlineStart: `${Math.min(depth, 12) * 2}ch` }}>
            {text}
          </code>
        )}
      </Virtualizer>
    </div>
  );
}
