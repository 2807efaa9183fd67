// Chooses a model for something that is no conversation yet, that can also go without a choice of its own, or that asks
// another one than the conversation's. Lists are read when it opens.
import { useQuery } from "@tanstack/react-query";
import { ChevronDown } from "lucide-react";
import { useState, type ReactElement } from "react";
import { openOverlay } from "@/app/actions";
import type { DefaultModel, ProviderItem } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button, Popover, TextField } from "@/shared/kit";
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
  const choose = (choice: DefaultModel | null) => {
    setOpen(false);
    onChoose(choice);
  };
  const shown = chosen ? alone(chosen.model, chosen.provider) : none;
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      wide
      title={name}
      trigger={
        <Button className={css.pick} disabled={disabled} aria-label={`${name}: ${shown}`} title={shown}>
          <span className={css.pickName}>{shown}</span>
          <ChevronDown aria-hidden />
        </Button>
      }
    >
      <Choices none={none} chosen={chosen} agents={agents} filter="" onChoose={choose} onLeave={() => setOpen(false)} />
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
  const { t } = useTranslation("talk");
  const [filter, setFilter] = useState("");
  const close = (next: boolean) => {
    onOpenChange(next);
    setFilter("");
  };
  return (
    <Popover open={open} onOpenChange={close} wide title={name} trigger={trigger}>
      <TextField
        label={t("model.filter")}
        hideLabel
        placeholder={t("model.filter")}
        value={filter}
        onChange={setFilter}
        autoComplete="off"
        spellCheck={false}
      />
      <Choices
        chosen={null}
        agents={false}
        filter={filter}
        without={without}
        onLeave={() => close(false)}
        onChoose={(choice) => {
          close(false);
          if (choice) onChoose(choice);
        }}
      />
    </Popover>
  );
}

// The offline one quotes; it can do none of this.
const offered = (providers: readonly ProviderItem[], agents: boolean) =>
  providers.filter(({ kind }) => kind !== "offline" && (agents || kind !== "agent"));

/** Whether there is anybody to ask besides. */
export function useAnyModel(): boolean {
  const { data } = useQuery(queries.providers());
  return offered(data ?? [], false).length > 0;
}

interface ChoicesProps extends Pick<ModelChoiceProps, "none" | "chosen" | "onChoose"> {
  agents: boolean;
  filter: string;
  without?: readonly DefaultModel[];
  /** It is gone on elsewhere. */
  onLeave: () => void;
}

function Choices({ none, chosen, agents, filter, without, onChoose, onLeave }: ChoicesProps) {
  const { t } = useTranslation("talk");
  const providers = offered(useQuery(queries.providers()).data ?? [], agents);
  const toSettings = (provider?: string) => {
    onLeave();
    openOverlay({ kind: "settings", tab: "models", provider });
  };
  return (
    <>
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
      </div>
      <div className={css.pickFoot}>
        <Button variant="quiet" onClick={() => toSettings()}>
          {t("model.connect")}
        </Button>
      </div>
    </>
  );
}
