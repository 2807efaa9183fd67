// A checkpoint as one file, and back out of one. The system's dialog asks which, unless a file was opened with Siltstone or
// dropped on it; a passphrase locks the file, or opens it.
import { useQuery } from "@tanstack/react-query";
import { useRef, useState, type FormEvent, type ReactNode } from "react";
import { closeOverlay, goToCheckpoints, usePlace } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import { call, toFailure, type CheckpointId, type CheckpointItem, type ProjectId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button, Dialog, Notice, SecretField, Select, takeSecret, toast, useAct } from "@/shared/kit";
import { written } from "@/shared/saved";
import css from "./checkpoints.module.css";
import { tellImported } from "./acts";
import { useCheckpointWords } from "./words";

interface WithPassphraseProps {
  title: string;
  text: string;
  label: string;
  hint?: string;
  done: string;
  /** Above the passphrase. */
  children?: ReactNode;
  disabled?: boolean;
  /** True closes the dialog. */
  onDone: (passphrase: string | null) => Promise<boolean>;
  onClose: () => void;
}

function WithPassphrase({ title, text, label, hint, done, children, disabled, onDone, onClose }: WithPassphraseProps) {
  const { t } = useTranslation("checkpoints");
  const field = useRef<HTMLInputElement>(null);
  const [wrong, setWrong] = useState<"passphrase_needed" | "wrong_passphrase" | null>(null);
  const { running: busy, failure, act } = useAct();
  const finish = () =>
    act(async () => {
      setWrong(null);
      try {
        if (!(await onDone(field.current?.value || null))) return;
        takeSecret(field);
        onClose();
      } catch (thrown) {
        field.current?.focus();
        const { code } = toFailure(thrown);
        if (code !== "passphrase_needed" && code !== "wrong_passphrase") throw thrown;
        setWrong(code);
      }
    });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!disabled) void finish();
  };
  return (
    <Dialog
      open
      onClose={() => !busy && onClose()}
      title={title}
      description={text}
      initialFocus={field}
      footer={
        <>
          <Button disabled={busy} onClick={onClose}>
            {t("cancel", { ns: "common" })}
          </Button>
          <Button variant="primary" disabled={busy || disabled} onClick={() => void finish()}>
            {done}
          </Button>
        </>
      }
    >
      <form className={css.passphrase} onSubmit={submit}>
        {children}
        <SecretField
          ref={field}
          label={label}
          description={hint}
          error={wrong ? t(`file.${wrong}`) : undefined}
          onInput={() => setWrong(null)}
        />
        {failure !== null && <ErrorNotice failure={failure} />}
      </form>
    </Dialog>
  );
}

export function ExportDialog({ item, onClose }: { item: CheckpointItem; onClose: () => void }) {
  const { t } = useTranslation("checkpoints");
  const words = useCheckpointWords();
  const save = async (passphrase: string | null) => {
    const saved = await call("checkpoint_export", { id: item.id, passphrase });
    if (saved) toast({ text: written(t("file.saved", { path: saved.path }), saved) });
    return saved !== null;
  };
  return (
    <WithPassphrase
      title={t("file.export", { when: words.when(item) })}
      text={t("file.exportText")}
      label={t("file.passphrase")}
      hint={t("file.exportHint")}
      done={t("file.choosePlace")}
      onDone={save}
      onClose={onClose}
    />
  );
}

interface ImportDialogProps {
  projectId: ProjectId;
  onImported: (id: CheckpointId) => void;
  onClose: () => void;
}

export function ImportDialog({ projectId: project_id, onImported, onClose }: ImportDialogProps) {
  const { t } = useTranslation("checkpoints");
  const take = async (passphrase: string | null) => {
    const imported = await call("checkpoint_import", { project_id, passphrase });
    if (imported === null) return false;
    tellImported(imported);
    onImported(imported.item.id);
    return true;
  };
  return (
    <WithPassphrase
      title={t("file.import")}
      text={t("file.importText")}
      label={t("file.itsPassphrase")}
      hint={t("file.importHint")}
      done={t("file.chooseFile")}
      onDone={take}
      onClose={onClose}
    />
  );
}

/** A file that was opened with Siltstone: it asks into which project. */
export function OfferedDialog({ path }: { path: string }) {
  const { t } = useTranslation("checkpoints");
  const here = usePlace((place) => place.projectId);
  const projects = useQuery(queries.projects());
  const [chosen, setChosen] = useState(here);
  const project = projects.data?.find(({ id }) => id === chosen) ?? projects.data?.[0];
  const take = async (passphrase: string | null) => {
    if (project === undefined) return false;
    const imported = await call("checkpoint_import", { project_id: project.id, passphrase, file: path });
    if (imported === null) return false;
    tellImported(imported);
    goToCheckpoints({ projectId: project.id, conversationId: null }, imported.item.id);
    return true;
  };
  return (
    <WithPassphrase
      title={t("file.import")}
      text={t("file.offeredText", { name: path.split(/[\\/]/).at(-1) ?? path })}
      label={t("file.itsPassphrase")}
      hint={t("file.importHint")}
      done={t("file.take")}
      disabled={project === undefined}
      onDone={take}
      onClose={closeOverlay}
    >
      {project ? (
        <Select
          label={t("file.into")}
          value={project.id}
          onChange={setChosen}
          options={projects.data!.map(({ id, name }) => ({ value: id, label: name }))}
        />
      ) : (
        projects.isSuccess && <Notice>{t("file.noProject")}</Notice>
      )}
    </WithPassphrase>
  );
}
