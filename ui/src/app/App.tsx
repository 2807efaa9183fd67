// The app shell: data, start-up, the places of the window, and what lies over them.
import { QueryClientProvider, useQuery } from "@tanstack/react-query";
import { Suspense, useEffect, useState } from "react";
import { usePlace, useSides } from "@/app/actions";
import { useCheckpointActions } from "@/features/checkpoints";
import { DropArea, useFolderOffers } from "@/features/drop";
import { ErrorNotice } from "@/features/errors";
import { Rail } from "@/features/rail";
import { useWaitingTitle } from "@/features/tools/useWaitingTitle";
import { followWaiting } from "@/features/tools/waiting";
import { DamageNotice, DataTrouble, ReadOnlyNotice, StartScreen } from "@/features/start";
import type { AppInfo } from "@/ipc";
import { createQueryClient, followChanges, queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button, Spinner, StatusRegion, Tips, Toasts, useCovered } from "@/shared/kit";
import { later } from "@/shared/later";
import css from "./App.module.css";
import { Crash } from "./Crash";
import { useAppActions } from "./useAppActions";
import { useApplySettings } from "./useApplySettings";
import { useKeys } from "./useKeys";

// Asked for at once, but not waited for: the first picture needs none of it.
const chat = import("@/features/chat");
const Overlays = later(() => import("./Overlays"), "Overlays");
const MemoryScreen = later(() => import("@/features/memory/MemoryScreen"), "MemoryScreen");
const TodayScreen = later(() => import("@/features/today/TodayScreen"), "TodayScreen");
const CopiesScreen = later(() => import("@/features/copies/CopiesScreen"), "CopiesScreen");
const CheckpointsScreen = later(() => import("@/features/checkpoints/CheckpointsScreen"), "CheckpointsScreen");
const VaultScreen = later(() => import("@/features/vault/VaultScreen"), "VaultScreen");
const ChatScreen = later(() => chat, "ChatScreen");

export function App() {
  const [client] = useState(createQueryClient);
  useEffect(() => followChanges(client), [client]);
  useEffect(() => followWaiting(client), [client]);
  return (
    <Crash>
      <QueryClientProvider client={client}>
        <StartUp />
        <Tips />
        <Toasts />
        <StatusRegion />
      </QueryClientProvider>
    </Crash>
  );
}

function StartUp() {
  const { t } = useTranslation("shell");
  const info = useQuery(queries.appInfo());
  if (info.data?.data.state === "open") return <Window info={info.data} />;
  if (info.data?.data.state === "read_only") {
    return (
      <div className={css.noticed}>
        <Suspense>
          <ReadOnlyNotice info={info.data} detail={info.data.data.detail} />
        </Suspense>
        <Window info={info.data} />
      </div>
    );
  }
  if (info.data?.data.state === "partly_damaged") {
    return (
      <div className={css.noticed}>
        <Suspense>
          <DamageNotice detail={info.data.data.detail} />
        </Suspense>
        <Window info={info.data} />
      </div>
    );
  }
  if (info.data) {
    return (
      <Suspense fallback={<main className={css.alone} />}>
        <DataTrouble info={info.data} data={info.data.data} />
      </Suspense>
    );
  }
  return (
    <main className={css.alone}>
      {info.isError ? (
        <ErrorNotice
          failure={info.error}
          actions={<Button onClick={() => void info.refetch()}>{t("data.again")}</Button>}
        />
      ) : (
        <Spinner label={t("starting")} />
      )}
    </main>
  );
}

function Window({ info }: { info: AppInfo }) {
  useApplySettings(info.system_language);
  useFolderOffers(info.start_path);
  useAppActions();
  useCheckpointActions();
  useKeys();
  const conversationId = usePlace((place) => place.conversationId);
  const memory = usePlace((place) => place.memory);
  const checkpoints = usePlace((place) => place.checkpoints);
  const today = usePlace((place) => place.today);
  const copies = usePlace((place) => place.copies);
  const vault = usePlace((place) => place.vault);
  useWaitingTitle(today === null && copies === null ? conversationId : null);
  const sides = useSides();
  const hasConversations = (useQuery(queries.conversations(null)).data?.length ?? 0) > 0;
  const elsewhere = [today, copies, memory, checkpoints, vault].some((place) => place !== null);
  const rail = sides.rail && (elsewhere || conversationId !== null || hasConversations);
  const covered = useCovered();
  const widths = usePlace((place) => place.widths);
  const sized = Object.fromEntries(Object.entries(widths).map(([side, width]) => [`--${side}`, `${width}px`]));
  return (
    <div
      className={css.window}
      data-rail={rail || undefined}
      data-pane={sides.pane || undefined}
      data-talk={(conversationId !== null && !elsewhere) || undefined}
      inert={covered}
      style={sized}
    >
      {rail && <Rail />}
      {memory !== null ? (
        <Suspense fallback={<main />}>
          <MemoryScreen key={memory.projectId} place={memory} />
        </Suspense>
      ) : checkpoints !== null ? (
        <Suspense fallback={<main />}>
          <CheckpointsScreen key={checkpoints.projectId} place={checkpoints} />
        </Suspense>
      ) : vault !== null ? (
        <Suspense fallback={<main />}>
          <VaultScreen place={vault} />
        </Suspense>
      ) : today !== null ? (
        <Suspense fallback={<main />}>
          <TodayScreen key={today.projectId} place={today} />
        </Suspense>
      ) : copies !== null ? (
        <Suspense fallback={<main />}>
          <CopiesScreen key={copies.projectId} place={copies} />
        </Suspense>
      ) : conversationId === null ? (
        <Start />
      ) : (
        <Suspense fallback={<main />}>
          <ChatScreen key={conversationId} id={conversationId} />
        </Suspense>
      )}
      <Suspense>
        <Overlays info={info} />
      </Suspense>
      <DropArea />
    </div>
  );
}

function Start() {
  const { t } = useTranslation("start");
  return (
    <main className={css.start} data-region tabIndex={-1} aria-label={t("title")}>
      <StartScreen />
    </main>
  );
}
