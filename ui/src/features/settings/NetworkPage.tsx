// How other computers are reached: through which proxy, and whose certificates are trusted beside the system's.
import { useState } from "react";
import { ErrorNotice } from "@/features/errors";
import { call, type Proxy } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Button, quiet, Select } from "@/shared/kit";
import { RestingField } from "./RestingField";
import css from "./settings.module.css";
import { useSettings } from "./useSettings";

export function NetworkPage() {
  const { t } = useTranslation("settings");
  const { settings, change, store } = useSettings();
  /** An address is wanted and not typed yet. */
  const [asking, setAsking] = useState(false);
  if (!settings) return null;
  const { proxy, extra_ca } = settings;
  const by = asking ? "address" : proxy.by;
  const choose = (next: Proxy["by"]) => {
    setAsking(next === "address");
    if (next !== "address") change({ proxy: { by: next } });
  };
  return (
    <div className={css.page}>
      <p className={quiet.note}>{t("network.hint")}</p>
      <Select<Proxy["by"]>
        label={t("network.proxy")}
        value={by}
        onChange={choose}
        options={[
          { value: "system", label: t("network.system") },
          { value: "direct", label: t("network.direct") },
          { value: "address", label: t("network.address") },
        ]}
      />
      {by === "address" && (
        <RestingField
          label={t("network.url")}
          description={t("network.urlHint")}
          placeholder="http://proxy.example:3128"
          inputMode="url"
          stored={proxy.by === "address" ? proxy.url : ""}
          check={(text) => (text.trim() === "" ? t("network.urlMissing") : null)}
          onStore={async (text) => {
            await store({ proxy: { by: "address", url: text.trim() } });
            setAsking(false);
          }}
        />
      )}
      <Certificates stored={extra_ca} onStore={(path) => store({ extra_ca: path })} />
    </div>
  );
}

/** The path of a file, typed or chosen. */
function Certificates({ stored, onStore }: { stored: string; onStore: (path: string) => Promise<void> }) {
  const { t } = useTranslation("settings");
  const [failure, setFailure] = useState<unknown>(null);
  const choose = async () => {
    setFailure(null);
    try {
      const path = await call("pick_certificates");
      if (path !== null) await onStore(path);
    } catch (thrown) {
      setFailure(thrown);
    }
  };
  return (
    <div>
      <div className={css.chosen}>
        <RestingField
          label={t("network.certificates")}
          description={t("network.certificatesHint")}
          placeholder="/etc/ssl/company.pem"
          stored={stored}
          onStore={(text) => onStore(text.trim())}
        />
        <Button onClick={() => void choose()}>{t("network.choose")}</Button>
      </div>
      {failure !== null && <ErrorNotice failure={failure} />}
    </div>
  );
}
