// Chooses a model: the choices themselves, as they open wherever one is chosen, and the buttons that open them for something
// that is no conversation yet, that can also go without a choice of its own, or that asks another one than the conversation's.
// Lists are read when it opens.
import { useQuery } from "@tanstack/react-query";
import { ChevronDown, Plus } from "lucide-react";
import { useState, type ReactElement, type ReactNode } from "react";
import { openOverlay } from "@/app/actions";
import type { DefaultModel, ProviderItem } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button, Popover, TextField, type ButtonProps } from "@/shared/kit";
import { ModelList, ModelRow } from "./ModelList";
import css from "./models.module.css";
import { useModelNames } from "./words";

interface ModelChoiceProps {
  /** What it is chosen for. */
  name: string;
  /** What no choice is called; without it there is always one. */
  none?: string;
  chosen: DefaultModel | null;
  onChoose: (choice: DefaultModel | null) => void;
  /** Agents as well, which only conversations ask. */
  agents?: boolean;
  disabled?: boolean;
}

export function ModelChoice({ name, none, chosen, onChoose, agents = false, disabled }: ModelChoiceProps) {
  const { alone } = useModelNames();
  const [open, setOpen] = useState(false);
  const shown = (chosen ? alone(chosen.model, chosen.provider) : none) ?? "";
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      wide
      title={name}
      trigger={<PickButton disabled={disabled} aria-label={`${name}: ${shown}`} shown={shown} />}
    >
      <Choices
        none={none}
        chosen={chosen}
        fits={agents ? isModel : isNoAgent}
        onLeave={() => setOpen(false)}
        onChoose={(choice) => {
          setOpen(false);
          onChoose(choice);
        }}
      />
    </Popover>
  );
}

interface AnotherModelProps {
  /** What it is chosen for. */
  name: string;
  /** A kit button. */
  trigger: ReactElement;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** What is not offered. */
  without?: readonly DefaultModel[];
  onChoose: (choice: DefaultModel) => void;
}

/** One more model to ask. Agents are none: several of them work in copies. */
export function AnotherModel({ name, trigger, open, onOpenChange, without, onChoose }: AnotherModelProps) {
  return (
    <Popover open={open} onOpenChange={onOpenChange} wide title={name} trigger={trigger}>
      <Choices
        chosen={null}
        fits={isNoAgent}
        without={without}
        onLeave={() => onOpenChange(false)}
        onChoose={(choice) => {
          onOpenChange(false);
          if (choice) onChoose(choice);
        }}
      />
    </Popover>
  );
}

// The offline one quotes; it can do none of this.
const isModel = ({ kind }: ProviderItem) => kind !== "offline";
const isNoAgent = (provider: ProviderItem) => isModel(provider) && provider.kind !== "agent";

/** Whether there is anybody to ask besides. */
export function useAnyModel(): boolean {
  const { data } = useQuery(queries.providers());
  return data?.some(isNoAgent) ?? false;
}

/** Says which one is chosen, and opens the choices. */
export function PickButton({ shown, ...rest }: ButtonProps & { shown: string }) {
  return (
    <Button {...rest} className={css.pick} title={shown}>
      <span className={css.pickName}>{shown}</span>
      <ChevronDown aria-hidden />
    </Button>
  );
}

interface ChoicesProps extends Pick<ModelChoiceProps, "none" | "chosen" | "onChoose"> {
  /** Whose models these are; everybody's without it. */
  fits?: (provider: ProviderItem) => boolean;
  without?: readonly DefaultModel[];
  /** What came of choosing one, below them. */
  outcome?: ReactNode;
  /** What else can be done, beside the way to connect another. */
  acts?: ReactNode;
  /** It is gone on elsewhere. */
  onLeave: () => void;
}

/** What a popover shows where a model is chosen: a field that finds one, those that there are, the way to another. */
export function Choices({ none, chosen, fits = () => true, without, outcome, acts, onChoose, onLeave }: ChoicesProps) {
  const { t } = useTranslation("talk");
  const [filter, setFilter] = useState("");
  const providers = (useQuery(queries.providers()).data ?? []).filter(fits);
  const toSettings = (provider?: string) => {
    onLeave();
    openOverlay({ kind: "settings", tab: "models", provider });
  };
  return (
    <>
      {providers.some(isModel) && (
        <TextField
          label={t("model.filter")}
          hideLabel
          placeholder={t("model.filter")}
          value={filter}
          onChange={setFilter}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      <div className={css.models}>
        {none !== undefined && <ModelRow name={none} chosen={chosen === null} onChoose={() => onChoose(null)} />}
        <ModelList
          providers={providers}
          filter={filter}
          without={without}
          chosen={chosen}
          onChoose={onChoose}
          onEnterKey={toSettings}
        />
        {outcome}
      </div>
      <div className={css.pickFoot}>
        {acts}
        <Button variant="quiet" className={css.connectOne} icon={<Plus aria-hidden />} onClick={() => toSettings()}>
          {t("model.connect")}
        </Button>
      </div>
    </>
  );
}
