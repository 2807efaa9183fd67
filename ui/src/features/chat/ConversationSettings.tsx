// How this conversation's model is asked, and what the conversation has cost. Nothing here has to be set: what is not
// is the provider's choice. The button says what differs.
import { SlidersHorizontal } from "lucide-react";
import { useState } from "react";
import { useAction, useChords } from "@/app/actions";
import { ModelPicker, modeName, modeOf, useOffers } from "@/features/models";
import type { ConversationDetail, Effort, ProjectId, Spent, Tuning } from "@/ipc";
import { formatCost, formatNumber, formatTokens, useTranslation } from "@/shared/i18n";
import { Button, IconButton, Popover, quiet, Select, TextArea, TextField } from "@/shared/kit";
import css from "./ConversationSettings.module.css";
import { useTuning } from "./useTuning";

const UNTUNED: Tuning = { instructions: "", temperature: null, max_output_tokens: null, effort: null, mode: null };
const EFFORTS = ["minimal", "low", "medium", "high"] as const satisfies readonly Effort[];

export function ConversationSettings({ conversation }: { conversation: ConversationDetail }) {
  const { t } = useTranslation("tuning");
  const [open, setOpen] = useState(false);
  const chord = useChords();
  useAction("tune", () => setOpen(true));
  const differing = useDiffering(conversation.tuning, conversation);
  const label = differing.length > 0 ? t("labelDiffering", { what: differing.join(", ") }) : t("label");
  return (
    <Popover
      title={t("label")}
      open={open}
      onOpenChange={setOpen}
      trigger={
        <IconButton
          label={label}
          shortcut={chord("tune")}
          icon={
            <span className={css.mark} data-differs={differing.length > 0 || undefined}>
              <SlidersHorizontal aria-hidden />
            </span>
          }
        />
      }
    >
      <Fields conversation={conversation} />
      <Total spent={conversation.spent} />
    </Popover>
  );
}

/** What is set, in words. */
function useDiffering(tuning: Tuning, { provider, item }: ConversationDetail): string[] {
  const { t } = useTranslation("tuning");
  const offers = useOffers()(provider, item.project_id);
  const { instructions, temperature, max_output_tokens, effort } = tuning;
  const mode = modeOf(tuning, provider);
  return [
    instructions !== "" && t("instructions"),
    temperature !== null && `${t("temperature")} ${formatNumber(temperature, 2)}`,
    max_output_tokens !== null && `${t("maxOutput")} ${formatNumber(max_output_tokens)}`,
    effort !== null && `${t("effort")} ${t(`efforts.${effort}`)}`,
    mode !== null && `${t("mode")} ${modeName(offers, mode)}`,
  ].filter((words) => words !== false);
}

function Fields({ conversation }: { conversation: ConversationDetail }) {
  const { t } = useTranslation("tuning");
  const { tuning, change } = useTuning(conversation);
  // Another key empties the fields' own text too.
  const [cleared, setCleared] = useState(0);
  const { provider } = conversation;
  const isTuned = useDiffering(tuning, conversation).length > 0;
  return (
    <div className={css.fields}>
      <div className={css.model}>
        <span className={css.label}>{t("model")}</span>
        <ModelPicker conversation={conversation} />
      </div>
      <Mode
        agent={provider}
        projectId={conversation.item.project_id}
        chosen={modeOf(tuning, provider)}
        onChange={(id) => change({ mode: id === null ? null : { agent: provider, id } })}
      />
      <TextArea
        label={t("instructions")}
        placeholder={t("instructionsPlaceholder")}
        value={tuning.instructions}
        onChange={(instructions) => change({ instructions })}
      />
      <div className={css.pair} key={cleared}>
        <NumberField
          label={t("temperature")}
          value={tuning.temperature}
          fits={(value) => value >= 0 && value <= 2}
          unfit={t("temperatureUnfit")}
          onChange={(temperature) => change({ temperature })}
        />
        <NumberField
          label={t("maxOutput")}
          value={tuning.max_output_tokens}
          fits={(value) => Number.isInteger(value) && value >= 1 && value < 2 ** 32}
          unfit={t("maxOutputUnfit")}
          onChange={(max_output_tokens) => change({ max_output_tokens })}
        />
      </div>
      <Select<Effort | "default">
        label={t("effort")}
        value={tuning.effort ?? "default"}
        onChange={(effort) => change({ effort: effort === "default" ? null : effort })}
        options={[
          { value: "default", label: t("default") },
          ...EFFORTS.map((effort) => ({ value: effort, label: t(`efforts.${effort}`) })),
        ]}
      />
      {isTuned && (
        <Button
          variant="quiet"
          className={css.reset}
          onClick={() => {
            change(UNTUNED);
            setCleared(cleared + 1);
          }}
        >
          {t("reset")}
        </Button>
      )}
    </div>
  );
}

interface ModeProps {
  /** The conversation's provider. */
  agent: string;
  projectId: ProjectId | null;
  /** Null is the one in which it asks. */
  chosen: string | null;
  onChange: (id: string | null) => void;
}

/** In which of its modes an agent works; nothing where it tells of none. */
function Mode({ agent, projectId, chosen, onChange }: ModeProps) {
  const { t } = useTranslation("tuning");
  const { modes } = useOffers()(agent, projectId);
  if (modes.length === 0 && chosen === null) return null;
  const mode = modes.find(({ id }) => id === chosen);
  // Not every agent has a mode of which it is known that it asks; it is left in its own then.
  const canAsk = modes.some(({ asks }) => asks);
  const asks = chosen === null ? canAsk : mode?.asks === true;
  return (
    <div className={css.mode}>
      <Select
        label={t("mode")}
        value={chosen ?? ""}
        onChange={(id) => onChange(id === "" ? null : id)}
        options={[
          { value: "", label: t(canAsk ? "modeAsks" : "modeOwn") },
          ...modes.map(({ id, name }) => ({ value: id, label: name || id })),
          ...(chosen !== null && !mode ? [{ value: chosen, label: t("modeGone", { id: chosen }) }] : []),
        ]}
      />
      {mode && mode.about !== "" && <p className={quiet.note}>{mode.about}</p>}
      {!asks && <p className={quiet.note}>{t("modeDecides")}</p>}
    </div>
  );
}

interface NumberFieldProps {
  label: string;
  /** Null is the provider's default, an empty field. */
  value: number | null;
  fits: (value: number) => boolean;
  /** Said of a text that is no such number; it is not kept. */
  unfit: string;
  onChange: (value: number | null) => void;
}

function NumberField({ label, value, fits, unfit, onChange }: NumberFieldProps) {
  const { t } = useTranslation("tuning");
  const [text, setText] = useState(value === null ? "" : String(value));
  const read = (text: string): number | null | undefined => {
    if (text.trim() === "") return null;
    const number = Number(text);
    return fits(number) ? number : undefined;
  };
  return (
    <TextField
      label={label}
      placeholder={t("default")}
      inputMode="decimal"
      autoComplete="off"
      value={text}
      error={read(text) === undefined && unfit}
      onChange={(next) => {
        setText(next);
        const number = read(next);
        if (number !== undefined) onChange(number);
      }}
    />
  );
}

function Total({ spent }: { spent: Spent }) {
  const { t } = useTranslation("tuning");
  const { cost, input_tokens, output_tokens, unpriced_turns } = spent;
  if (input_tokens + output_tokens === 0) return null;
  const input = formatTokens(input_tokens);
  const output = formatTokens(output_tokens);
  return (
    <div className={css.total}>
      <p>
        {t("total")} <span data-numeric>{t("tokens", { input, output })}</span>
        {cost > 0 && (
          <strong className={css.cost} data-numeric>
            {formatCost(cost)}
          </strong>
        )}
      </p>
      {unpriced_turns > 0 && <p>{t("unpriced", { count: unpriced_turns })}</p>}
    </div>
  );
}
