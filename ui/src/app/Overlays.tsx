// What lies over the window, one at a time. Nearly all are loaded when they are first opened.
import { Suspense } from "react";
import { closeOverlay, usePlace } from "@/app/actions";
import { FolderSheet } from "@/features/drop";
import type { AppInfo } from "@/ipc";
import { later } from "@/shared/later";

const Palette = later(() => import("@/features/palette"), "Palette");
const SearchDialog = later(() => import("@/features/search"), "SearchDialog");
const SettingsDialog = later(() => import("@/features/settings"), "SettingsDialog");
const FileViewer = later(() => import("@/features/files"), "FileViewer");
const PictureViewer = later(() => import("@/features/attachments/PictureViewer"), "PictureViewer");
const TextViewer = later(() => import("@/features/attachments/TextViewer"), "TextViewer");
const KeysHelp = later(() => import("./KeysHelp"), "KeysHelp");
const LinkDialog = later(() => import("./LinkDialog"), "LinkDialog");
const ImportDialog = later(() => import("@/features/conversations/ImportDialog"), "ImportDialog");
const Trash = later(() => import("@/features/rail/Trash"), "Trash");
const PreviewDialog = later(() => import("@/features/summaries/PreviewDialog"), "PreviewDialog");
const ContinueDialog = later(() => import("@/features/vault/ContinueDialog"), "ContinueDialog");
const SentBodyDialog = later(() => import("@/features/egress"), "SentBodyDialog");
const WindowDialog = later(() => import("@/features/settings/WindowDialog"), "WindowDialog");
const CheckpointNow = later(() => import("@/features/checkpoints/TagDialog"), "CheckpointNow");
const OfferedDialog = later(() => import("@/features/checkpoints/FileDialogs"), "OfferedDialog");
const InboxDialog = later(() => import("@/features/tools/inbox/InboxDialog"), "InboxDialog");
const PlanDialog = later(() => import("@/features/tools/tree/PlanDialog"), "PlanDialog");
const ReviewDialog = later(() => import("@/features/changes/ReviewDialog"), "ReviewDialog");
const SkillsDialog = later(() => import("@/features/skills/SkillsDialog"), "SkillsDialog");
const StartCopiesDialog = later(() => import("@/features/copies/StartCopiesDialog"), "StartCopiesDialog");
const MergeCopyDialog = later(() => import("@/features/copies/MergeCopyDialog"), "MergeCopyDialog");
const RemoveCopyDialog = later(() => import("@/features/copies/RemoveCopyDialog"), "RemoveCopyDialog");
const UnrestoredDialog = later(() => import("@/features/checkpoints/UnrestoredDialog"), "UnrestoredDialog");

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
      return <Palette key={overlay.mode} mode={overlay.mode} />;
    case "search":
      return <SearchDialog />;
    case "settings":
      return <SettingsDialog tab={overlay.tab} provider={overlay.provider} info={info} />;
    case "keys":
      return <KeysHelp />;
    case "import":
      return <ImportDialog />;
    case "trash":
      return <Trash />;
    case "checkpoint":
      return <CheckpointNow projectId={overlay.projectId} conversationId={overlay.conversationId} />;
    case "inbox":
      return <InboxDialog projectId={overlay.projectId} />;
    case "skills":
      return <SkillsDialog projectId={overlay.projectId} conversationId={overlay.conversationId} onClose={closeOverlay} />;
    case "plan":
      return <PlanDialog projectId={overlay.projectId} />;
    case "changes":
      return <ReviewDialog of={overlay.of} projectId={overlay.projectId} all={overlay.all} />;
    case "startCopies":
      return <StartCopiesDialog projectId={overlay.projectId} />;
    case "mergeCopy":
      return <MergeCopyDialog copyId={overlay.copyId} />;
    case "removeCopy":
      return <RemoveCopyDialog copyId={overlay.copyId} />;
    case "unrestored":
      return <UnrestoredDialog failed={overlay.failed} />;
    case "folder":
      return <FolderSheet key={overlay.path} path={overlay.path} />;
    case "checkpointFile":
      return <OfferedDialog key={overlay.path} path={overlay.path} />;
    case "file":
      return <FileViewer projectId={overlay.projectId} path={overlay.path} line={overlay.line} />;
    case "picture":
      return <PictureViewer hash={overlay.hash} name={overlay.name} />;
    case "text":
      return <TextViewer name={overlay.name} text={overlay.text} hash={overlay.hash} />;
    case "fold":
      return <PreviewDialog conversationId={overlay.conversationId} />;
    case "goOn":
      return <ContinueDialog own session={{ id: overlay.conversationId, version: null }} title={overlay.title} onClose={closeOverlay} />;
    case "sent":
      return <SentBodyDialog seq={overlay.seq} onClose={closeOverlay} />;
    case "window":
      return <WindowDialog {...overlay} />;
    case "link":
      return <LinkDialog url={overlay.url} />;
  }
}
