// Chooses a model for something that is no conversation yet, or can also go without a choice of its own. Lists are read when
// it opens.
import { useQuery } from "@tanstack/react-query";
import { ChevronDown } from "lucide-react";
import { useState } from "react";
import { openOverlay } from "@/app/actions";
import type { DefaultModel } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button, Popover } from "@/shared/kit";
import css from "./models.module.css";
import { ModelRow, Models } from "./ModelPicker";
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
  const { t } = useTranslation("talk");
  const { alone } = useModelNames();
  const [open, setOpen] = useState(false);
  // The offline one quotes; it can do none of this.
  const providers = useQuery(queries.providers()).data?.filter(({ kind }) => kind !== "offline" && (agents || kind !== "agent")) ?? [];
  const choose = (choice: DefaultModel | null) => {
    setOpen(false);
    onChoose(choice);
  };
  const shown = chosen ? alone(chosen.model, chosen.provider) : none;
  const toSettings = (provider?: string) => {
    setOpen(false);
    openOverlay({ kind: "settings", tab: "models", provider });
  };
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      title={name}
      trigger={
        <Button className={css.pick} disabled={disabled} aria-label={`${name}: ${shown}`} title={shown}>
          <span className={css.pickName}>{shown}</span>
          <ChevronDown aria-hidden />
        </Button>
      }
    >
      <div className={css.models}>
        {none !== undefined && <ModelRow name={none} chosen={chosen === null} onChoose={() => choose(null)} />}
        {providers.map((provider) => (
          <Models
            key={provider.name}
            provider={provider}
            filter=""
            onEnterKey={() => toSettings(provider.name)}
            chosen={chosen?.provider === provider.name ? chosen.model : null}
            onChoose={choose}
          />
        ))}
      </div>
      <div className={css.pickFoot}>
        <Button variant="quiet" onClick={() => toSettings()}>
          {t("model.connect")}
        </Button>
      </div>
    </Popover>
  );
}
