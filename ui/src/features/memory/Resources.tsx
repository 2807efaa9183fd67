// What trusted servers of tools have to read, for one conversation: nothing is asked before this is opened, and a text is
// kept by a yes to exactly what is shown. What changed since says so, and goes on as it was until it is agreed to again.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { BookmarkPlus } from "lucide-react";
import { useState } from "react";
import { ErrorNotice } from "@/features/errors";
import { call, type ConversationId, type ResourceItem } from "@/ipc";
import { queries } from "@/ipc/queries";
import { Diff, lineDiff } from "@/shared/diff";
import { useTranslation } from "@/shared/i18n";
import { announce, Button, Dialog, Notice, quiet, Spinner, useAct } from "@/shared/kit";
import { Revealed } from "@/shared/Revealed";
import css from "./memory.module.css";

interface Looked {
  server: string;
  item: ResourceItem;
}

export function Resources({ conversationId }: { conversationId: ConversationId }) {
  const { t } = useTranslation("memory");
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="quiet" icon={<BookmarkPlus aria-hidden />} onClick={() => setOpen(true)}>
        {t("resources.open")}
      </Button>
      {open && <ResourcesDialog conversationId={conversationId} onClose={() => setOpen(false)} />}
    </>
  );
}

function ResourcesDialog({ conversationId, onClose }: { conversationId: ConversationId; onClose: () => void }) {
  const { t } = useTranslation("memory");
  const all = useQuery(queries.resources(conversationId));
  const [looked, setLooked] = useState<Looked | null>(null);
  return (
    <Dialog open size="m" onClose={onClose} title={t("resources.title")} description={t("resources.hint")}>
      {all.isError && <ErrorNotice failure={all.error} />}
      {all.isPending && <Spinner label={t("resources.asking")} />}
      {all.data?.length === 0 && <p className={quiet.note}>{t("resources.noServer")}</p>}
      {all.data?.map(({ server, resources, fault }) => (
        <section key={server} aria-label={server}>
          <h3>{server}</h3>
          {fault !== null && <Notice tone="warn">{fault}</Notice>}
          {fault === null && resources.length === 0 && <p className={quiet.note}>{t("resources.none")}</p>}
          <ul>
            {resources.map((item) => {
              const { uri, name, description } = item.resource;
              return (
                <li key={uri} className={css.resource}>
                  <span className={css.resourceText}>
                    <Revealed text={name} />
                    <span className={quiet.note}>
                      <Revealed text={description === "" ? uri : description} />
                      {item.state !== "not_kept" && ` · ${t(`resources.${item.state}`)}`}
                    </span>
                  </span>
                  {item.state !== "gone" && (
                    <Button aria-label={t("resources.lookAt", { name })} onClick={() => setLooked({ server, item })}>
                      {t("resources.look")}
                    </Button>
                  )}
                </li>
              );
            })}
          </ul>
        </section>
      ))}
      {looked && <ResourceDialog conversationId={conversationId} looked={looked} onClose={() => setLooked(null)} />}
    </Dialog>
  );
}

function ResourceDialog({ conversationId, looked, onClose }: { conversationId: ConversationId; looked: Looked; onClose: () => void }) {
  const { t } = useTranslation("memory");
  const client = useQueryClient();
  const { server, item } = looked;
  const { uri, name } = item.resource;
  const named = { conversation_id: conversationId, server, uri };
  const said = useQuery(queries.resource(named));
  const { running, failure, act } = useAct();
  const keep = (hash: string) =>
    act(async () => {
      try {
        await call("mcp_resource_keep", { ...named, hash });
        announce(t("resources.isKept", { name }));
        onClose();
      } finally {
        // Refused is what says something else by now: that is shown instead.
        await client.invalidateQueries({ queryKey: ["resources"] });
      }
    });
  const { text, hash, cut, kept } = said.data ?? { text: "", hash: null, cut: false, kept: null };
  const changed = kept !== null && kept !== text;
  return (
    <Dialog
      open
      size="m"
      onClose={onClose}
      title={name}
      description={uri}
      footer={
        <>
          <Button onClick={onClose}>{t("close", { ns: "common" })}</Button>
          <Button variant="primary" disabled={running || hash === null || kept === text} onClick={() => hash !== null && void keep(hash)}>
            {t(changed ? "resources.keepNew" : "resources.keep")}
          </Button>
        </>
      }
    >
      {said.isPending && <Spinner label={t("resources.asking")} />}
      {said.isError && <ErrorNotice failure={said.error} />}
      {failure !== null && <ErrorNotice failure={failure} />}
      {changed && <Notice tone="warn">{t("resources.changedText")}</Notice>}
      {hash !== null &&
        (changed ? (
          <Diff difference={lineDiff(kept, text)} label={name} />
        ) : (
          <pre className={css.draft} tabIndex={0} aria-label={name} data-selectable>
            <Revealed text={text} />
          </pre>
        ))}
      {cut && <p className={quiet.note}>{t("resources.cut")}</p>}
    </Dialog>
  );
}
