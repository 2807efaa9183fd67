// The calls between two texts of a reply: one quiet line each, and many that went well in one line.
import { useQuery } from "@tanstack/react-query";
import { ChevronRight, Layers2 } from "lucide-react";
import { memo, useId, useMemo, type ReactNode } from "react";
import type { TurnId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { CallRow } from "./CallRow";
import { counted, keyOf, know, linesOf, type Known, type Line, type Step } from "./calls";
import { setOpened, useLive, useProgress } from "./live";
import { agentAct, isBuiltIn, type AgentAct, type BuiltIn } from "./names";
import { useToolsPlace, type ToolsPlace } from "./place";
import css from "./tools.module.css";

export interface CallsProps {
  steps: readonly Step[];
  turnId: TurnId | undefined;
  /** Whether its turn is under way. */
  live: boolean;
  /** Draws a thought. */
  reasoning: (text: string) => ReactNode;
}

export const Calls = memo(function Calls(props: CallsProps) {
  const place = useToolsPlace();
  return place !== null && props.turnId !== undefined ? (
    <OfRun {...props} turnId={props.turnId} place={place} />
  ) : (
    <Lines {...props} known={known(props.steps, () => null, {}, false)} />
  );
});

/** With what was written down of the turn. */
function OfRun({ place, ...props }: CallsProps & { turnId: TurnId; place: ToolsPlace }) {
  const { steps, live } = props;
  const run = useQuery(queries.run(place.conversationId, props.turnId));
  const progress = useProgress(live ? place.conversationId : undefined);
  const nodes = run.data?.nodes;
  const all = useMemo(() => {
    const byCall = new Map(nodes?.flatMap((node) => (node.kind === "tool" ? [[node.call_id, node] as const] : [])));
    return known(steps, (id) => byCall.get(id) ?? null, progress, live);
  }, [steps, nodes, progress, live]);
  return <Lines {...props} known={all} />;
}

function known(
  steps: readonly Step[],
  nodeOf: (id: string) => Known["node"],
  progress: ReturnType<typeof useProgress>,
  live: boolean,
): (Known | string)[] {
  return steps.map((step) =>
    step.type === "thought" ? step.text : know(step.call, nodeOf(step.call.id), progress[step.call.id] ?? null, live),
  );
}

function Lines({ known, reasoning }: Pick<CallsProps, "reasoning"> & { known: readonly (Known | string)[] }) {
  const lines = useMemo(() => linesOf(known), [known]);
  return (
    <div className={css.calls}>
      {lines.map((line, index) => (
        <OneLine key={keyOfLine(line, index)} line={line} reasoning={reasoning} />
      ))}
    </div>
  );
}

/** A line keeps what is written in it when lines before it become one. */
function keyOfLine(line: Line, index: number): string {
  if (line.type === "thought") return `thought ${index}`;
  const [first] = line.type === "call" ? [line.known] : line.steps.filter((step) => typeof step !== "string");
  return `${line.type} ${keyOf(first!.call)}`;
}

function OneLine({ line, reasoning }: { line: Line; reasoning: CallsProps["reasoning"] }) {
  switch (line.type) {
    case "thought":
      return reasoning(line.text);
    case "call":
      return <CallRow known={line.known} />;
    case "many":
      return <Many {...line} reasoning={reasoning} />;
  }
}

interface ManyProps extends Pick<CallsProps, "reasoning"> {
  steps: readonly (Known | string)[];
}

function Many({ steps, reasoning }: ManyProps) {
  const first = steps.find((step) => typeof step !== "string")!;
  const key = `many ${keyOf(first.call)}`;
  const revealed = useLive(({ revealed }) => revealed);
  const holds = steps.some((step) => typeof step !== "string" && step.call.result?.messageId === revealed);
  const open = useLive(({ opened }) => opened[key]) ?? holds;
  const id = useId();
  const words = useCountedWords();
  return (
    <div className={css.call}>
      <button
        type="button"
        className={css.line}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpened(key, !open)}
      >
        <Layers2 aria-hidden className={css.icon} />
        <span className={css.name}>{words(steps)}</span>
        <ChevronRight aria-hidden className={css.chevron} />
      </button>
      {open && (
        <div id={id} className={css.inside}>
          {steps.map((step, index) =>
            typeof step === "string" ? <div key={index}>{reasoning(step)}</div> : <CallRow key={index} known={step} />,
          )}
        </div>
      )}
    </div>
  );
}

/** What agents do is told as what our own tools do. */
const TOLD_AS: Partial<Record<AgentAct, BuiltIn>> = {
  read: "read_file",
  search: "search_files",
  edit: "edit_file",
  delete: "delete_file",
  move: "move_file",
  run: "run_command",
};

/** "Read 12 files, searched 3 times". */
function useCountedWords() {
  const { t, i18n } = useTranslation("tools");
  return (steps: readonly (Known | string)[]): string => {
    let others = 0;
    const said = counted(steps).flatMap(([name, count]) => {
      const act = agentAct(name)?.act;
      const own = isBuiltIn(name) ? name : undefined;
      const told = act === undefined ? own : TOLD_AS[act];
      if (told === undefined) others += count;
      return told === undefined ? [] : [t(`did.${told}`, { count })];
    });
    if (others > 0) said.push(t("did.other", { count: others }));
    const text = said.join(", ");
    return text.charAt(0).toLocaleUpperCase(i18n.language) + text.slice(1);
  };
}
