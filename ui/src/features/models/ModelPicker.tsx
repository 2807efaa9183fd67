// Which model a conversation asks: the default, or one of its own.
import { useQuery } from "@tanstack/react-query";
import { ChevronDown } from "lucide-react";
import { useState } from "react";
import { openOverlay } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import { call, type ConversationDetail, type DefaultModel } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button, Popover, TextField } from "@/shared/kit";
import { makeDefault } from "./choosing";
import { ModelList, ModelRow } from "./ModelList";
import css from "./models.module.css";
import { useModelNames, useProviderName } from "./words";

export function ModelPicker({ conversation }: { conversation: ConversationDetail }) {
  const { t } = useTranslation("talk");
  const providerName = useProviderName();
  const { alone } = useModelNames();
  const [open, setOpen] = useState(false);
  const [filter, setFilter] = useState("");
  const [failure, setFailure] = useState<unknown>(null);
  const providers = useQuery(queries.providers());
  const { provider, model, follows_default, item } = conversation;
  const choose = (choice: DefaultModel | null) => {
    setFailure(null);
    call("conversation_model", { id: item.id, choice }).then(() => setOpen(false), setFailure);
  };
  const toSettings = (provider?: string) => {
    setOpen(false);
    openOverlay({ kind: "settings", tab: "models", provider });
  };
  const shown = provider === "offline" ? providerName(provider) : alone(model, provider);
  return (
    <Popover
      open={open}
      onOpenChange={(next) => {
        setOpen(next);
        setFilter("");
      }}
      wide
      title={t("model.title")}
      trigger={
        <Button variant="quiet" className={css.pick} aria-label={t("model.current", { model: shown })} title={shown}>
          <span className={css.pickName}>{shown}</span>
          <ChevronDown aria-hidden />
        </Button>
      }
    >
      {providers.data && providers.data.length > 1 && (
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
        <ModelRow
          name={t("model.default")}
          chosen={follows_default}
          onChoose={() => choose(null)}
        />
        <ModelList
          providers={providers.data ?? []}
          filter={filter}
          chosen={follows_default ? null : { provider, model }}
          onChoose={choose}
          onEnterKey={toSettings}
        />
        {failure !== null && <ErrorNotice failure={failure} />}
      </div>
      <div className={css.pickFoot}>
        {!follows_default && (
          <Button
            onClick={() => {
              setFailure(null);
              makeDefault({ provider, model }).then(() => choose(null), setFailure);
            }}
          >
            {t("model.makeDefault")}
          </Button>
        )}
        <Button
          variant="quiet"
          onClick={() => toSettings()}
        >
          {t("model.connect")}
        </Button>
      </div>
    </Popover>
  );
}
