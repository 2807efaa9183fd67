// A session goes on: here as a conversation, with another agent as a session of its own, or as a text to hand over. What
// goes and what stays behind, with the reason, is shown before anything is written.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { goToConversation } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import { call, type Agent, type VaultGoal, type VaultHandover, type VaultPlan, type VaultRef } from "@/ipc";
import { queries } from "@/ipc/queries";
import { copyText } from "@/shared/clipboard";
import { formatNumber, formatTokens, useTranslation } from "@/shared/i18n";
import { announce, Button, CopyButton, Dialog, quiet, Select, Spinner, Switch, useAct } from "@/shared/kit";
import css from "./vault.module.css";
import { agentName } from "./words";

const AGENTS: readonly Agent[] = ["claude-code", "codex", "gemini-cli"];

type Where = "here" | "text" | Agent;

const goalOf = (where: Where, whole: boolean, folder: string): VaultGoal => {
  if (where === "here") return { type: "here", project_id: null };
  if (where === "text") return { type: "text" };
  // What is written stays in Siltstone's own folder: the person puts it where the agent looks.
  return { type: "agent", agent: where, folder: folder === "" ? null : folder, whole, install: false };
};

interface ContinueDialogProps {
  session: VaultRef;
  title: string;
  /** Whether it is a conversation from here, which goes on elsewhere. */
  own?: boolean;
  onClose: () => void;
}

export function ContinueDialog({ session, title, own = false, onClose }: ContinueDialogProps) {
  const { t } = useTranslation("vault");
  const [where, setWhere] = useState<Where>(own ? "claude-code" : "here");
  const [folder, setFolder] = useState("");
  const [whole, setWhole] = useState(false);
  const [written, setWritten] = useState<VaultHandover | null>(null);
  const { running, failure, act } = useAct();
  const goal = goalOf(where, whole, folder);
  const plan = useQuery(queries.vaultPlan({ ...session, goal }));
  const toAgent = goal.type === "agent";
  const choose = () => act(async () => setFolder((await call("pick_folder")) ?? folder));
  const goOn = () =>
    act(async () => {
      const path = plan.data?.handover?.path ?? null;
      const done = await call("vault_continue", { ...session, goal, path });
      if (done.type === "agent") return setWritten(done.handover);
      if (done.type === "text") announce(t((await copyText(done.text)) ? "copied" : "copyFailed", { ns: "common" }));
      onClose();
      if (done.type === "here") goToConversation(done.item);
    });
  if (written !== null && toAgent) return <Written handover={written} agent={goal.agent} onClose={onClose} />;
  return (
    <Dialog
      open
      onClose={() => !running && onClose()}
      title={t("continue.title", { name: title })}
      description={t(own ? "continue.own" : "continue.text")}
      footer={
        <>
          <Button disabled={running} onClick={onClose}>
            {t("cancel", { ns: "common" })}
          </Button>
          <Button variant="primary" disabled={running || !plan.data} onClick={() => void goOn()}>
            {t(`continue.do.${goal.type}`)}
          </Button>
        </>
      }
    >
      <div className={css.goal}>
        <Select
          label={t("continue.where")}
          value={where}
          onChange={setWhere}
          disabled={running}
          options={[
            ...(own ? [] : [{ value: "here" as const, label: t("continue.here") }]),
            ...AGENTS.map((agent) => ({ value: agent, label: t("continue.with", { name: agentName(agent) }) })),
            { value: "text", label: t("continue.asText") },
          ]}
        />
        {toAgent && (
          <div className={css.row}>
            <span data-selectable>{folder === "" ? t("continue.itsFolder") : t("continue.folder", { path: folder })}</span>
            <Button variant="quiet" disabled={running} onClick={() => void choose()}>
              {t("continue.otherFolder")}
            </Button>
          </div>
        )}
        {toAgent && <Switch label={t(own ? "continue.wholeOwn" : "continue.whole")} description={t("continue.wholeHint")} checked={whole} onChange={setWhole} disabled={running} />}
        {plan.isError && <ErrorNotice failure={plan.error} />}
        {plan.isPending && <Spinner label={t("continue.reading")} />}
        {plan.data && <Planned plan={plan.data} here={goal.type === "here"} />}
        {failure !== null && <ErrorNotice failure={failure} />}
      </div>
    </Dialog>
  );
}

const COUNTS = ["turns", "messages", "calls", "pictures", "summaries"] as const;

/** What goes, where, and what stays behind. */
function Planned({ plan, here }: { plan: VaultPlan; here: boolean }) {
  const { t } = useTranslation("vault");
  const counts = COUNTS.filter((what) => plan[what] > 0);
  const goes = counts.map((what) => t(`continue.goes.${what}`, { count: plan[what], n: formatNumber(plan[what]) }));
  return (
    <>
      <p data-numeric>{[...goes, t("continue.tokens", { n: formatTokens(plan.tokens) })].join(" · ")}</p>
      {!here && <p className={quiet.note}>{t("continue.secrets")}</p>}
      {here && <p className={quiet.note}>{plan.project ? t("continue.project", { name: plan.project.name }) : t("continue.noProject")}</p>}
      {plan.handover && (
        <p className={css.path} data-selectable>
          {plan.handover.path}
        </p>
      )}
      {plan.left.length > 0 && (
        <>
          <p>{t("continue.stays")}</p>
          <ul className={css.stays}>
            {plan.left.map(({ reason, count }) => (
              <li key={reason}>{t(`continue.left.${reason}`, { count, n: formatNumber(count) })}</li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** The session that was written, and the commands with which the person goes on. */
function Written({ handover, agent, onClose }: { handover: VaultHandover; agent: Agent; onClose: () => void }) {
  const { t } = useTranslation("vault");
  const commands = [handover.install, handover.start].filter((command) => command !== null);
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("continue.written", { name: agentName(agent) })}
      description={t("continue.writtenText")}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t("continue.done")}
        </Button>
      }
    >
      <ol className={css.commands}>
        {commands.map((command) => (
          <li key={command} className={css.row}>
            <code className={css.command} data-selectable>
              {command}
            </code>
            <CopyButton text={command} label={t("continue.copyCommand")} />
          </li>
        ))}
      </ol>
    </Dialog>
  );
}
