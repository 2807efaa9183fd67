// Whether passages of what was said are looked up for a message, from where, and how much room they have.
import { useState } from "react";
import type { RecallScope, RecallSettings } from "@/ipc";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { quiet, Select, Slider } from "@/shared/kit";

/** Percent of the room for earlier messages, as the host holds them. */
const SHARES = { min: 5, max: 60, step: 5 };
/** What fixing begins with. */
const SHARE = 25;

const MODES = ["adaptive", "fixed", "off"] as const;
type Mode = (typeof MODES)[number];

const DEFAULT = "default";

function modeOf({ on, share }: RecallSettings, strict: boolean): Mode {
  if (!(on ?? !strict)) return "off";
  return share === null ? "adaptive" : "fixed";
}

function inMode(recall: RecallSettings, mode: Mode): RecallSettings {
  if (mode === "off") return { ...recall, on: false };
  return { ...recall, on: true, share: mode === "adaptive" ? null : (recall.share ?? SHARE) };
}

interface RecallFieldsProps {
  /** What counts here. */
  recall: RecallSettings;
  /** The strict forms recall nothing unless they are told to. */
  strict: boolean;
  onChange: (recall: RecallSettings) => void;
  /** Of a conversation: what the settings say, whether it goes by them, and the way back to them. */
  settings?: { recall: RecallSettings; follows: boolean; onFollow: () => void };
}

export function RecallFields({ recall, strict, onChange, settings }: RecallFieldsProps) {
  const { t } = useTranslation(["recall", "summaries"]);
  const [moving, setMoving] = useState<number | null>(null);
  const mode = modeOf(recall, strict);
  const percent = (value: number) => t("share.percent", { n: formatNumber(value) });
  const name = (of: Mode) => t(`mode.${of}`);
  const choose = (next: Mode | typeof DEFAULT) => {
    if (next === DEFAULT) settings?.onFollow();
    else onChange(inMode(recall, next));
  };
  return (
    <>
      <Select<Mode | typeof DEFAULT>
        label={t("mode.label")}
        value={settings?.follows ? DEFAULT : mode}
        onChange={choose}
        options={[
          ...(settings
            ? [
                {
                  value: DEFAULT as typeof DEFAULT,
                  label: t("default", { ns: "summaries", value: name(modeOf(settings.recall, strict)) }),
                },
              ]
            : []),
          ...MODES.map((value) => ({ value, label: name(value) })),
        ]}
      />
      <p className={quiet.note}>{t(`modeHint.${mode}`)}</p>
      {mode === "fixed" && !settings?.follows && (
        <Slider
          {...SHARES}
          label={t("share.label")}
          value={moving ?? recall.share ?? SHARE}
          format={percent}
          onChange={setMoving}
          onCommit={(share) => {
            setMoving(null);
            onChange({ ...recall, on: true, share });
          }}
          description={t("share.hint")}
        />
      )}
      {mode !== "off" && !settings?.follows && (
        <Select<RecallScope>
          label={t("scope.label")}
          value={recall.scope}
          onChange={(scope) => onChange({ ...recall, scope })}
          options={[
            { value: "project", label: t("scope.project") },
            { value: "conversation", label: t("scope.conversation") },
          ]}
        />
      )}
    </>
  );
}
