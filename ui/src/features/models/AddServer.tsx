// Any OpenAI-compatible server of this computer, by its base URL: test it, see its models, use one.
import { useQuery } from "@tanstack/react-query";
import { Check } from "lucide-react";
import { useState, type FormEvent } from "react";
import { ErrorNotice } from "@/features/errors";
import { call } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { announce, Button, Select, Spinner, TextField } from "@/shared/kit";
import { addAndTest, type Tested } from "./connect";
import css from "./models.module.css";

export function AddServer() {
  const { t } = useTranslation("start");
  const providers = useQuery(queries.providers());
  const [url, setUrl] = useState("");
  const [testing, setTesting] = useState(false);
  const [tested, setTested] = useState<Tested | null>(null);
  const [failure, setFailure] = useState<unknown>(null);

  const test = async () => {
    setTesting(true);
    setFailure(null);
    setTested(null);
    try {
      const result = await addAndTest(url.trim().replace(/\/+$/, ""), providers.data ?? []);
      setTested(result);
      announce(t("server.ok", { count: result.models.length }));
    } catch (thrown) {
      setFailure(thrown);
    } finally {
      setTesting(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (url.trim() !== "" && !testing) void test();
  };
  return (
    <form className={css.add} onSubmit={submit}>
      <div className={css.addRow}>
        <TextField
          label={t("server.label")}
          value={url}
          onChange={setUrl}
          placeholder="http://127.0.0.1:8080/v1"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
        />
        <Button type="submit" disabled={url.trim() === "" || testing}>
          {t("server.test")}
        </Button>
      </div>
      {testing && <Spinner label={t("server.testing")} />}
      {failure !== null && <ErrorNotice failure={failure} />}
      {tested && <TestedServer tested={tested} />}
    </form>
  );
}

function TestedServer({ tested }: { tested: Tested }) {
  const { t } = useTranslation("start");
  const providers = useQuery(queries.providers());
  const [failure, setFailure] = useState<unknown>(null);
  const current = providers.data?.find(({ name }) => name === tested.provider)?.default_model;
  const [model, setModel] = useState(tested.models[0]?.model ?? "");
  const use = () => {
    setFailure(null);
    call("provider_default", { provider: tested.provider, model }).catch(setFailure);
  };
  return (
    <div className={css.tested}>
      <p className={css.ok}>
        <Check size={16} aria-hidden />
        {t("server.ok", { count: tested.models.length })}
      </p>
      {tested.models.length > 0 && (
        <div className={css.addRow}>
          <Select
            label={t("server.model")}
            value={model}
            onChange={setModel}
            options={tested.models.map((choice) => ({ value: choice.model, label: choice.model }))}
          />
          <Button variant="primary" disabled={current === model} onClick={use}>
            {current === model ? t("server.inUse") : t("server.use")}
          </Button>
        </div>
      )}
      {failure !== null && <ErrorNotice failure={failure} />}
    </div>
  );
}
