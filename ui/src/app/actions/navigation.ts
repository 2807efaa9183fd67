// Where the person is: the open project, the conversation, what lies over it, and which side panes
// are open. Kept over a restart, but for what lies over.
import { useSyncExternalStore } from "react";
import { create } from "zustand";
import { persist } from "zustand/middleware";
import type { ChangesOf, CheckpointId, ConversationId, DefaultModel, FailedPath, MemoryLineId, MessageId, ProjectId, SummaryId, TurnId, VaultRef } from "@/ipc";

/** The pages of the settings, as they stand below each other, each by what a person looks for, with what stands on it. */
export const SETTINGS = [
  { page: "general", parts: ["general"] },
  { page: "models", parts: ["models", "tasks", "spending"] },
  { page: "tools", parts: ["tools", "servers"] },
  { page: "memory", parts: ["memory", "summaries", "recall"] },
  { page: "folders", parts: ["projects", "checkpoints", "remotes"] },
  { page: "privacy", parts: ["privacy", "network", "left"] },
  { page: "shortcuts", parts: ["shortcuts"] },
  { page: "data", parts: ["data", "about"] },
] as const;

export type SettingsPage = (typeof SETTINGS)[number]["page"];
/** What is gone to: a part of a page. */
export type SettingsTab = (typeof SETTINGS)[number]["parts"][number];

/** The page that a part stands on, with all of its parts. */
export function pageOf(tab: SettingsTab): (typeof SETTINGS)[number] {
  return SETTINGS.find(({ parts }) => (parts as readonly SettingsTab[]).includes(tab)) ?? SETTINGS[0];
}

export type Overlay =
  | { kind: "palette"; mode: "all" | "conversations" | "models" }
  | { kind: "search" }
  /** `provider` is the one whose key is to be entered. */
  | { kind: "settings"; tab: SettingsTab; provider?: string }
  | { kind: "keys" }
  | { kind: "trash" }
  /** How far the import of an export is. */
  | { kind: "import" }
  /** Makes a checkpoint. */
  | { kind: "checkpoint"; projectId: ProjectId; conversationId: ConversationId | null }
  /** Lines that models propose to remember, of a project or of all. */
  | { kind: "inbox"; projectId: ProjectId | null }
  /** Skills of a place, and what of them a conversation has. */
  | { kind: "skills"; projectId: ProjectId | null; conversationId: ConversationId | null }
  /** Makes a plan with a model. */
  | { kind: "plan"; projectId: ProjectId }
  /** What a turn changed in files, or what is different in a copy, and what of it is taken back. */
  | { kind: "changes"; of: ChangesOf; projectId: ProjectId; all: boolean }
  /** Lets several agents work on a project, each in a copy of it. */
  | { kind: "startCopies"; projectId: ProjectId }
  /** Takes over what was changed in a copy. */
  | { kind: "mergeCopy"; copyId: ProjectId }
  /** Asks before a copy goes with its folder. */
  | { kind: "removeCopy"; copyId: ProjectId }
  /** What a restore could not write. */
  | { kind: "unrestored"; failed: FailedPath[] }
  | { kind: "folder"; path: string }
  /** The file of a checkpoint that was opened with Siltstone. */
  | { kind: "checkpointFile"; path: string }
  | { kind: "file"; projectId: ProjectId; path: string; line: number | null }
  | { kind: "picture"; hash: string; name: string }
  /** Read from where it is kept, under `hash`, where `text` is empty. */
  | { kind: "text"; name: string; text: string; hash: string }
  /** A request exactly as it was sent. */
  | { kind: "sent"; seq: number }
  | { kind: "window"; model: string; name: string; tokens: number }
  /** Goes on with a conversation elsewhere. */
  | { kind: "goOn"; conversationId: ConversationId; title: string }
  /** The next fold, before it is made. */
  | { kind: "fold"; conversationId: ConversationId }
  | { kind: "link"; url: string };

/** The Memory screen, and what it is about. */
export interface MemoryPlace {
  /** Null is global memory alone. */
  projectId: ProjectId | null;
  /** The conversation that is returned to, and whose session memory is shown. */
  conversationId: ConversationId | null;
  /** A file to open at a line; `nonce` makes the same one twice two visits. */
  at: { path: string; line: number; nonce: number } | null;
  /** A line of no file to show. */
  line: { id: MemoryLineId; nonce: number } | null;
}

/** The Checkpoints screen, and what it is about. */
export interface CheckpointsPlace {
  projectId: ProjectId;
  /** The conversation that is returned to, and that a checkpoint made here names. */
  conversationId: ConversationId | null;
  /** A checkpoint to show; null is the newest. */
  id: CheckpointId | null;
}

/** The Today page of a project. */
export interface TodayPlace {
  projectId: ProjectId;
  /** A decision to show there; `nonce` makes the same one twice two visits. */
  decision: { id: string; nonce: number } | null;
}

/** Who works side by side in copies of a project. */
export interface CopiesPlace {
  /** The project that they are copies of. */
  projectId: ProjectId;
}

/** The screen of agents' sessions, and what of it is shown. */
export interface VaultPlace {
  /** Null is the list. */
  session: VaultRef | null;
  /** An entry of it to begin at, by its number; else it begins where it begins. */
  entry?: number;
}

/**
 * A message, and words in it where they first stand or those of a number; or the line of a fold: by the key of its row,
 * and the index of its first message.
 */
export type Target = { messageId: MessageId; words?: string; nth?: number } | { index: number };

export type Side = "rail" | "pane";

interface Place {
  /** The project whose conversations the rail shows; null shows all. */
  projectId: ProjectId | null;
  /** Null is the start screen. */
  conversationId: ConversationId | null;
  /** While it is set, the Today page of a project is shown in the conversation's place. */
  today: TodayPlace | null;
  /** While it is set, the copies of a project are. */
  copies: CopiesPlace | null;
  /** While it is set, the Memory screen is, over either. */
  memory: MemoryPlace | null;
  /** While it is set, the Checkpoints screen is. */
  checkpoints: CheckpointsPlace | null;
  /** While it is set, the screen of agents' sessions is. */
  vault: VaultPlace | null;
  /** Side panes while there is room for both. */
  rail: boolean;
  pane: boolean;
  /** How wide each is, in pixels, where the person made it so. */
  widths: Partial<Record<Side, number>>;
  /** The one side pane that is open while there is room for one. */
  narrow: "rail" | "pane" | null;
  overlay: Overlay | null;
  /** What of a conversation to show; `nonce` makes the same twice two jumps. */
  jump: { conversationId: ConversationId; to: Target; focus: boolean; nonce: number } | null;
  contextTab: "request" | "summaries";
  /** Whose request the context pane shows: that of the next message, or what was sent for a turn. */
  contextOf: TurnId | "next";
  /** Of the next message, whose, if not that of the conversation's own model. */
  contextModel: DefaultModel | null;
  /** A section the context pane should bring into view. */
  section: { id: string; nonce: number } | null;
  /** A summary it should bring into view. */
  summary: { id: SummaryId; nonce: number } | null;
  /** The conversation that a tour leads through: the sample, after it was opened from the first screen. */
  touring: ConversationId | null;
}

/** What is beneath: the Today page, the copies, the conversation, or the start. */
const UNCOVERED = { memory: null, checkpoints: null, vault: null };
/** The conversation itself, or the start. */
const NO_SCREEN = { today: null, copies: null, ...UNCOVERED };

export const usePlace = create<Place>()(
  persist(
    (): Place => ({
      projectId: null,
      conversationId: null,
      ...NO_SCREEN,
      rail: true,
      pane: true,
      widths: {},
      narrow: null,
      overlay: null,
      jump: null,
      contextTab: "request",
      contextOf: "next",
      contextModel: null,
      section: null,
      summary: null,
      touring: null,
    }),
    {
      name: "siltstone.place",
      partialize: ({ projectId, conversationId, today, copies, rail, pane, widths }) => ({ projectId, conversationId, today, copies, rail, pane, widths }),
    },
  ),
);

const { getState: place, setState: set } = usePlace;

/** The place as an address: /start, /c/:conversation, /memory, /agents/:session, and below /p/:project also /today, /copies and /checkpoints. */
export function address({
  projectId,
  conversationId,
  today,
  copies,
  memory,
  checkpoints,
  vault,
}: Pick<Place, "projectId" | "conversationId" | "today" | "copies" | "memory" | "checkpoints" | "vault">): string {
  if (vault !== null) return `/agents${vault.session === null ? "" : `/${vault.session.id}`}`;
  if (checkpoints !== null) return `/p/${checkpoints.projectId}/checkpoints`;
  if (memory !== null) return `${memory.projectId === null ? "" : `/p/${memory.projectId}`}/memory`;
  if (today !== null) return `/p/${today.projectId}/today`;
  if (copies !== null) return `/p/${copies.projectId}/copies`;
  if (conversationId === null) return "/start";
  return `${projectId === null ? "" : `/p/${projectId}`}/c/${conversationId}`;
}

/** Shows another conversation, if any, for one that is gone; whatever was opened over it meanwhile stays. Whether it was shown. */
export function leaveConversation(id: ConversationId, to: ConversationId | null): boolean {
  if (place().conversationId !== id) return false;
  set({ conversationId: to, contextOf: "next" });
  return true;
}

export function goToStart(): void {
  set({ conversationId: null, ...NO_SCREEN, overlay: null, contextOf: "next" });
}

/** Opens the Memory screen of what is open, and a file of it at a line. */
export function goToMemory(of: Pick<MemoryPlace, "projectId" | "conversationId">, path?: string, line = 1): void {
  set(({ memory }) => ({
    ...UNCOVERED,
    memory: { ...of, at: path === undefined ? null : { path, line, nonce: (memory?.at?.nonce ?? 0) + 1 }, line: null },
    overlay: null,
  }));
}

/** Opens the Memory screen and shows a line there that belongs to no file. */
export function goToMemoryLine(of: Pick<MemoryPlace, "projectId" | "conversationId">, id: MemoryLineId): void {
  set(({ memory }) => ({
    ...UNCOVERED,
    memory: { ...of, at: null, line: { id, nonce: (memory?.line?.nonce ?? 0) + 1 } },
    overlay: null,
  }));
}

export function leaveMemory(): void {
  set({ memory: null });
}

/** Opens the Checkpoints screen of what is open. */
export function goToCheckpoints(of: Pick<CheckpointsPlace, "projectId" | "conversationId">, id: CheckpointId | null = null): void {
  set({ ...UNCOVERED, checkpoints: { ...of, id }, overlay: null });
}

export function leaveCheckpoints(): void {
  set({ checkpoints: null });
}

/** Opens the sessions of other agents: the list, or one of them, at an entry. */
export function goToVault(session: VaultRef | null = null, entry?: number): void {
  set({ ...UNCOVERED, vault: { session, entry }, overlay: null });
}

export function leaveVault(): void {
  set({ vault: null });
}

/** Opens a conversation; the rail follows when it shows another project. */
export function goToConversation(conversation: { id: ConversationId; project_id: ProjectId | null }): void {
  const { projectId, conversationId } = place();
  const stays = projectId === null || projectId === conversation.project_id;
  set({
    conversationId: conversation.id,
    ...NO_SCREEN,
    projectId: stays ? projectId : conversation.project_id,
    overlay: null,
    ...(conversationId === conversation.id ? {} : { contextOf: "next" as const, jump: null }),
  });
}

export function showProject(projectId: ProjectId | null): void {
  set({ projectId });
}

/** Opens the conversation of a message and shows it there, with words in it marked. */
export function goToMessage(conversationId: ConversationId, project_id: ProjectId | null, messageId: MessageId, words?: string): void {
  goToConversation({ id: conversationId, project_id });
  jumpTo(conversationId, words === undefined ? { messageId } : { messageId, words });
}

/** Opens the Today page of a project, and a decision there. */
export function goToToday(projectId: ProjectId, decision?: string): void {
  set(({ today }) => ({
    ...NO_SCREEN,
    projectId,
    today: {
      projectId,
      decision: decision === undefined ? null : { id: decision, nonce: (today?.decision?.nonce ?? 0) + 1 },
    },
    overlay: null,
  }));
}

export function leaveToday(): void {
  set({ today: null });
}

/** Opens the copies of a project, beside each other. */
export function goToCopies(projectId: ProjectId): void {
  set({ ...NO_SCREEN, projectId, copies: { projectId }, overlay: null });
}

export function leaveCopies(): void {
  set({ copies: null });
}

/** Shows a place in the conversation that is open; the focus goes there unless it is needed here. */
export function jumpTo(conversationId: ConversationId, to: Target, focus = true): void {
  set(({ jump }) => ({ jump: { conversationId, to, focus, nonce: (jump?.nonce ?? 0) + 1 } }));
}

export function openOverlay(overlay: Overlay): void {
  set({ overlay });
}

export function closeOverlay(): void {
  set({ overlay: null });
}

const ROOM = "(min-width: 1100px)";

/** Whether the window is as a media query says. */
export function useMedia(media: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const query = window.matchMedia(media);
      query.addEventListener("change", changed);
      return () => query.removeEventListener("change", changed);
    },
    () => window.matchMedia(media).matches,
  );
}

export function useSides(): { rail: boolean; pane: boolean } {
  const room = useMedia(ROOM);
  const { rail, pane, narrow } = usePlace();
  return room ? { rail, pane } : { rail: narrow === "rail", pane: narrow === "pane" };
}

/** Makes a side pane as wide as the person wants it; null is as it was. */
export function widen(side: Side, width: number | null): void {
  set(({ widths }) => ({ widths: { ...widths, [side]: width ?? undefined } }));
}

export function toggleSide(side: Side, open?: boolean): void {
  if (window.matchMedia(ROOM).matches) set((now) => ({ [side]: open ?? !now[side] }));
  else set(({ narrow }) => ({ narrow: (open ?? narrow !== side) ? side : null }));
}

/** Opens the context pane on what a turn was sent, or on the next request, to another model if one is named, and one section of it. */
export function showContext(contextOf: TurnId | "next", section?: string, contextModel: DefaultModel | null = null): void {
  toggleSide("pane", true);
  set((now) => ({
    ...NO_SCREEN,
    contextTab: "request",
    contextOf,
    contextModel,
    section: section === undefined ? null : { id: section, nonce: (now.section?.nonce ?? 0) + 1 },
  }));
}

/** Opens the context pane on the summaries, and on one of them. */
export function showSummaries(id?: SummaryId): void {
  toggleSide("pane", true);
  set(({ summary }) => ({
    ...NO_SCREEN,
    contextTab: "summaries",
    summary: id === undefined ? null : { id, nonce: (summary?.nonce ?? 0) + 1 },
  }));
}

/** Shows the other tab of the context pane as it is, and nothing in particular there. */
export function showContextTab(contextTab: "request" | "summaries"): void {
  set({ contextTab, section: null, summary: null });
}
