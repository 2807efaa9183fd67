// Names a checkpoint; also the one that is made now.
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState, type KeyboardEvent } from "react";
import { closeOverlay } from "@/app/actions";
import { useFailureWords } from "@/features/errors";
import { call, toFailure, type ConversationId, type ProjectId } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Button, Dialog, TextField, toast, useAct } from "@/shared/kit";

interface TagDialogProps {
  title: string;
  tag: string;
  /** The button's words. */
  done: string;
  onClose: () => void;
  onDone: (tag: string | null) => Promise<unknown>;
}

export function TagDialog({ title, tag, done, onClose, onDone }: TagDialogProps) {
  const { t } = useTranslation("checkpoints");
  const words = useFailureWords();
  const [text, setText] = useState(tag);
  const { running, act } = useAct();
  const [error, setError] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const finish = () =>
    act(async () => {
      try {
        await onDone(text.trim() || null);
        onClose();
      } catch (thrown) {
        const { code } = toFailure(thrown);
        setError(code === "conflict" ? t("tag.taken") : `${words(code).title} ${words(code).hint}`);
      }
    });
  const keyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.nativeEvent.isComposing) void finish();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      initialFocus={field}
      footer={
        <>
          <Button onClick={onClose}>{t("cancel", { ns: "common" })}</Button>
          <Button variant="primary" disabled={running} onClick={() => void finish()}>
            {running ? t("tag.busy") : done}
          </Button>
        </>
      }
    >
      <TextField
        ref={field}
        label={t("tag.label")}
        description={t("tag.hint")}
        autoComplete="off"
        maxLength={100}
        value={text}
        error={error}
        onChange={(next) => {
          setText(next);
          setError(null);
        }}
        onKeyDown={keyDown}
      />
    </Dialog>
  );
}

interface CheckpointNowProps {
  projectId: ProjectId;
  conversationId: ConversationId | null;
}

export function CheckpointNow({ projectId: project_id, conversationId: conversation_id }: CheckpointNowProps) {
  const { t } = useTranslation("checkpoints");
  const client = useQueryClient();
  const make = async (tag: string | null) => {
    const { files } = await call("checkpoint_create", { project_id, conversation_id, tag });
    await client.invalidateQueries({ queryKey: ["checkpoints"] });
    toast({ text: files === null ? t("said.madeWithoutFiles") : t("said.made", { count: files }) });
  };
  return <TagDialog title={t("now")} tag="" done={t("tag.make")} onClose={closeOverlay} onDone={make} />;
}
