// Which model a conversation asks: the default, or one of its own.
import { useState } from "react";
import { ErrorNotice } from "@/features/errors";
import { call, type ConversationDetail, type DefaultModel } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Button, Popover } from "@/shared/kit";
import { makeDefault } from "./choosing";
import { Choices, PickButton } from "./ModelChoice";
import { useModelNames, useProviderName } from "./words";

export function ModelPicker({ conversation }: { conversation: ConversationDetail }) {
  const { t } = useTranslation("talk");
  const providerName = useProviderName();
  const { alone } = useModelNames();
  const [open, setOpen] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const { provider, model, follows_default, item } = conversation;
  const choose = (choice: DefaultModel | null) => {
    setFailure(null);
    call("conversation_model", { id: item.id, choice }).then(() => setOpen(false), setFailure);
  };
  const shown = provider === "offline" ? providerName(provider) : alone(model, provider);
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      wide
      title={t("model.title")}
      trigger={<PickButton variant="quiet" aria-label={t("model.current", { model: shown })} shown={shown} />}
    >
      <Choices
        none={t("model.default")}
        chosen={follows_default ? null : { provider, model }}
        onChoose={choose}
        onLeave={() => setOpen(false)}
        outcome={failure !== null && <ErrorNotice failure={failure} />}
        acts={
          !follows_default && (
            <Button
              onClick={() => {
                setFailure(null);
                makeDefault({ provider, model }).then(() => choose(null), setFailure);
              }}
            >
              {t("model.makeDefault")}
            </Button>
          )
        }
      />
    </Popover>
  );
}
