// One request exactly as it was sent: where to, its headers without the key, its body, and both to copy.
import { useQuery } from "@tanstack/react-query";
import { goToConversation } from "@/app/actions";
import { ErrorNotice, tellFailure } from "@/features/errors";
import { useProviderName } from "@/features/models";
import { call, toFailure, type EgressItem, type SentBody } from "@/ipc";
import { formatBytes, formatMoment, useTranslation } from "@/shared/i18n";
import { Button, CopyButton, Dialog, Notice, quiet, Spinner } from "@/shared/kit";
import { BodyView } from "./BodyView";
import css from "./egress.module.css";
import { useAnswerWords } from "./words";

interface SentBodyDialogProps {
  seq: number;
  /** Its row of the list, where it was opened from there. */
  item?: EgressItem;
  onClose: () => void;
}

export function SentBodyDialog({ seq, item, onClose }: SentBodyDialogProps) {
  const { t } = useTranslation("egress");
  const sent = useQuery({
    queryKey: ["egress", "body", seq],
    queryFn: () => call("egress_body", { seq }),
    // It may be forgotten at any time, and is too large to be kept unseen.
    staleTime: 0,
    gcTime: 0,
  });
  const gone = sent.isError && toFailure(sent.error).code === "not_found";
  return (
    <Dialog
      open
      size="l"
      onClose={onClose}
      title={t("request")}
      description={sent.data && <Address {...sent.data} />}
      footer={sent.data && <Acts sent={sent.data} conversationId={item?.conversation_id ?? null} />}
    >
      <div className={css.sent}>
        {item && <Facts item={item} />}
        {gone && <Notice>{t("notKept")}</Notice>}
        {sent.isError && !gone && <ErrorNotice failure={sent.error} />}
        {sent.isPending && <Spinner />}
        {sent.data && <Sent sent={sent.data} />}
      </div>
    </Dialog>
  );
}

function Address({ method, url }: Pick<SentBody, "method" | "url">) {
  return (
    <span className={css.address} data-selectable>
      {method} {url}
    </span>
  );
}

function Facts({ item: { at, provider, answer } }: { item: EgressItem }) {
  const { t } = useTranslation("egress");
  const providerName = useProviderName();
  const answerWords = useAnswerWords();
  return (
    <dl className={css.facts}>
      <dt>{t("time")}</dt>
      <dd>{formatMoment(Date.parse(at))}</dd>
      <dt>{t("provider")}</dt>
      <dd>{providerName(provider)}</dd>
      <dt>{t("answer")}</dt>
      <dd>{answerWords(answer)}</dd>
    </dl>
  );
}

function Sent({ sent: { headers, body, hash } }: { sent: SentBody }) {
  const { t } = useTranslation("egress");
  return (
    <>
      <dl className={css.facts}>
        <dt>{t("headers")}</dt>
        <dd className={css.headers} data-selectable>
          {headers.map(([name, value], index) => (
            <span key={index}>
              {name}: {value}
            </span>
          ))}
          {headers.length === 0 && t("noHeaders")}
        </dd>
        <dt>{t("size")}</dt>
        <dd data-numeric>{formatBytes(new Blob([body]).size)}</dd>
        <dt>{t("hash")}</dt>
        <dd className={css.hash}>
          <span data-selectable>{hash}</span>
          <CopyButton text={hash} label={t("copyHash")} />
        </dd>
      </dl>
      {body === "" ? <p className={quiet.note}>{t("noBody")}</p> : <BodyView body={body} />}
    </>
  );
}

function Acts({ sent: { body, curl }, conversationId }: { sent: SentBody; conversationId: string | null }) {
  const { t } = useTranslation("egress");
  const open = (id: string) => {
    call("conversation_get", { id }).then(({ item }) => goToConversation(item), tellFailure);
  };
  return (
    <>
      {curl !== "" && <span className={css.noKey}>{t("noKey")}</span>}
      {conversationId !== null && (
        <Button variant="quiet" onClick={() => open(conversationId)}>
          {t("conversation")}
        </Button>
      )}
      {body !== "" && <CopyButton words text={body} label={t("copyJson")} />}
      {curl !== "" && <CopyButton words text={curl} label={t("copyCurl")} />}
    </>
  );
}
