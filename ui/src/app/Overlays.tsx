// What lies over the window, one at a time. Nearly all are loaded when they are first opened.
import { lazy, Suspense } from "react";
import { closeOverlay, usePlace } from "@/app/actions";
import { PictureViewer } from "@/features/attachments";
import { FolderSheet } from "@/features/drop";
import type { AppInfo } from "@/ipc";

const Palette = lazy(() => import("@/features/palette").then(({ Palette }) => ({ default: Palette })));
const SearchDialog = lazy(() => import("@/features/search").then(({ SearchDialog }) => ({ default: SearchDialog })));
const SettingsDialog = lazy(() =>
  import("@/features/settings").then(({ SettingsDialog }) => ({ default: SettingsDialog })),
);
const FileViewer = lazy(() => import("@/features/files").then(({ FileViewer }) => ({ default: FileViewer })));
const KeysHelp = lazy(() => import("./KeysHelp").then(({ KeysHelp }) => ({ default: KeysHelp })));
const LinkDialog = lazy(() => import("./LinkDialog").then(({ LinkDialog }) => ({ default: LinkDialog })));
const Trash = lazy(() => import("@/features/rail/Trash").then(({ Trash }) => ({ default: Trash })));
const PreviewDialog = lazy(() =>
  import("@/features/summaries/PreviewDialog").then(({ PreviewDialog }) => ({ default: PreviewDialog })),
);
const SentBodyDialog = lazy(() =>
  import("@/features/egress").then(({ SentBodyDialog }) => ({ default: SentBodyDialog })),
);
const CheckpointNow = lazy(() =>
  import("@/features/checkpoints/TagDialog").then(({ CheckpointNow }) => ({ default: CheckpointNow })),
);
const PlanDialog = lazy(() => import("@/features/tools/tree/PlanDialog").then(({ PlanDialog }) => ({ default: PlanDialog })));
const UnrestoredDialog = lazy(() =>
  import("@/features/checkpoints/UnrestoredDialog").then(({ UnrestoredDialog }) => ({ default: UnrestoredDialog })),
);

export function Overlays({ info }: { info: AppInfo }) {
  return (
    <Suspense>
      <Overlay info={info} />
    </Suspense>
  );
}

function Overlay({ info }: { info: AppInfo }) {
  const overlay = usePlace((place) => place.overlay);
  switch (overlay?.kind) {
    case undefined:
      return null;
    case "palette":
      return <Palette mode={overlay.mode} />;
    case "search":
      return <SearchDialog />;
    case "settings":
      return <SettingsDialog tab={overlay.tab} provider={overlay.provider} info={info} />;
    case "keys":
      return <KeysHelp />;
    case "trash":
      return <Trash />;
    case "checkpoint":
      return <CheckpointNow projectId={overlay.projectId} conversationId={overlay.conversationId} />;
    case "plan":
      return <PlanDialog projectId={overlay.projectId} />;
    case "unrestored":
      return <UnrestoredDialog failed={overlay.failed} />;
    case "folder":
      return <FolderSheet key={overlay.path} path={overlay.path} />;
    case "file":
      return <FileViewer projectId={overlay.projectId} path={overlay.path} line={overlay.line} />;
    case "picture":
      return <PictureViewer hash={overlay.hash} name={overlay.name} />;
    case "fold":
      return <PreviewDialog conversationId={overlay.conversationId} />;
    case "sent":
      return <SentBodyDialog seq={overlay.seq} onClose={closeOverlay} />;
    case "link":
      return <LinkDialog url={overlay.url} />;
  }
}
