// The list of what left this computer, newest first and a page at a time; a row opens what was sent. Nobody tells us
// that a request went, so the list is read anew whenever it comes into sight.
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { useState } from "react";
import { ErrorNotice } from "@/features/errors";
import { useProviderName } from "@/features/models";
import { call, type EgressItem } from "@/ipc";
import { formatBytes, formatDay, formatMoment, formatTime, useTranslation } from "@/shared/i18n";
import { announce, Button, Dialog, EmptyState, IconButton, quiet, Spinner, Switch } from "@/shared/kit";
import css from "./egress.module.css";
import { SentBodyDialog } from "./SentBodyDialog";
import { useAnswerWords } from "./words";

const PAGE = 50;

export function LeftList() {
  const { t } = useTranslation("egress");
  const [home, setHome] = useState(false);
  const [opened, setOpened] = useState<EgressItem | null>(null);
  const list = useInfiniteQuery({
    queryKey: ["egress", "list", home],
    queryFn: ({ pageParam }) => call("egress_list", { before: pageParam, limit: PAGE, away_only: !home }),
    initialPageParam: null as number | null,
    getNextPageParam: (last) => (last.length === PAGE ? last.at(-1)!.seq : undefined),
    staleTime: 0,
    gcTime: 0,
  });
  const items = list.data?.pages.flat() ?? [];
  return (
    <div className={css.left}>
      <header className={css.head}>
        <p className={quiet.note}>{t("hint")}</p>
        {list.isFetching && <Spinner />}
        <IconButton
          label={t("again")}
          icon={<RefreshCw aria-hidden />}
          disabled={list.isFetching}
          onClick={() => void list.refetch()}
        />
      </header>
      <Switch label={t("home")} checked={home} onChange={setHome} />
      {list.isError && <ErrorNotice failure={list.error} />}
      {list.isSuccess && items.length === 0 && (
        <EmptyState title={t(home ? "none" : "empty")}>{!home && t("emptyHint")}</EmptyState>
      )}
      {items.length > 0 && (
        <>
          <Requests items={items} onOpen={setOpened} />
          <div className={css.acts}>
            {list.hasNextPage && (
              <Button disabled={list.isFetching} onClick={() => void list.fetchNextPage()}>
                {t("older")}
              </Button>
            )}
            <Clear onCleared={() => void list.refetch()} />
          </div>
        </>
      )}
      {opened && <SentBodyDialog seq={opened.seq} item={opened} onClose={() => setOpened(null)} />}
    </div>
  );
}

function Requests({ items, onOpen }: { items: readonly EgressItem[]; onOpen: (item: EgressItem) => void }) {
  const { t } = useTranslation("egress");
  const providerName = useProviderName();
  const answerWords = useAnswerWords();
  return (
    <table className={css.requests} aria-label={t("title")}>
      <thead>
        <tr>
          {(["time", "provider", "host", "method", "size", "answer"] as const).map((column) => (
            <th key={column} scope="col">
              {t(column)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {items.map((item) => {
          const at = Date.parse(item.at);
          return (
            <tr key={item.seq}>
              <td>
                <button type="button" title={formatMoment(at)} onClick={() => onOpen(item)}>
                  {t("when", { day: formatDay(at), time: formatTime(at) })}
                </button>
              </td>
              <td>{providerName(item.provider)}</td>
              <td title={item.url}>
                {hostOf(item.url)}
                {item.home && <span className={quiet.note}> {t("atHome")}</span>}
              </td>
              <td>{item.method}</td>
              <td data-numeric>{formatBytes(item.size)}</td>
              <td data-numeric>{answerWords(item.answer)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Of an agent it is the command, which may begin like an address: with the letter of a drive. */
function hostOf(url: string): string {
  return (URL.canParse(url) && new URL(url).host) || url;
}

/** Cannot be undone, so it is asked for. */
function Clear({ onCleared }: { onCleared: () => void }) {
  const { t } = useTranslation("egress");
  const client = useQueryClient();
  const [asked, setAsked] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const clear = async () => {
    setAsked(false);
    setFailure(null);
    try {
      await call("egress_clear");
      announce(t("cleared"));
      onCleared();
      // Replies say whether their request is kept.
      void client.invalidateQueries({ queryKey: ["conversation"] });
    } catch (thrown) {
      setFailure(thrown);
    }
  };
  return (
    <>
      <Button variant="quiet" onClick={() => setAsked(true)}>
        {t("clear")}
      </Button>
      {failure !== null && <ErrorNotice failure={failure} />}
      <Dialog
        open={asked}
        onClose={() => setAsked(false)}
        title={t("clearConfirm")}
        description={t("clearText")}
        footer={
          <>
            <Button onClick={() => setAsked(false)}>{t("cancel", { ns: "common" })}</Button>
            <Button variant="danger" onClick={() => void clear()}>
              {t("clear")}
            </Button>
          </>
        }
      />
    </>
  );
}
