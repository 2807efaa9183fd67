// The month's limit stands in the way of a message: what was spent, and the two ways on. When the limit was raised
// meanwhile, the message can simply be sent.
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { openOverlay } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import { call, type Spending } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatCost, useTranslation } from "@/shared/i18n";
import { Button, Notice } from "@/shared/kit";

interface LimitNoticeProps {
  /** The month may go on: ask again. */
  onAllowed: () => void;
  actions?: ReactNode;
}

export function LimitNotice({ onAllowed, actions }: LimitNoticeProps) {
  const { t } = useTranslation("talk");
  const { data } = useQuery(queries.spending());
  const ceiling = data ? ceilingOf(data) : null;
  const reached = !data || isReached(data);
  const [failure, setFailure] = useState<unknown>(null);
  const allow = () => {
    setFailure(null);
    call("spending_allow").then(onAllowed, setFailure);
  };
  return (
    <div role="alert">
      <Notice
        tone="warn"
        title={t(reached ? "limit.title" : "limit.free")}
        actions={
          <>
            <Button onClick={reached ? allow : onAllowed}>{t(reached ? "limit.goOn" : "again")}</Button>
            <Button onClick={() => openOverlay({ kind: "settings", tab: "spending" })}>{t("limit.change")}</Button>
            {actions}
          </>
        }
      >
        {data && ceiling !== null && (
          <span data-numeric>{t("limit.spent", { cost: formatCost(data.cost), limit: formatCost(ceiling) })}</span>
        )}
      </Notice>
      {failure !== null && <ErrorNotice failure={failure} />}
    </div>
  );
}

/** For messages that wait because of the limit; nothing when they wait for another reason. */
export function HeldByLimit() {
  const { data } = useQuery(queries.spending());
  return data && isReached(data) ? <LimitNotice onAllowed={() => {}} /> : null;
}

/** Where it asks, in billionths of a US dollar. */
function ceilingOf({ limit, allowed_until }: Spending): number | null {
  return limit === null ? null : (allowed_until ?? limit) * 1000;
}

function isReached(spending: Spending): boolean {
  const ceiling = ceilingOf(spending);
  return ceiling !== null && spending.cost >= ceiling;
}
