// Where the calls of a list belong: rows are plain data and know of no conversation.
import { createContext, useContext } from "react";
import type { ConversationId, ProjectId } from "@/ipc";

export interface ToolsPlace {
  conversationId: ConversationId;
  projectId: ProjectId | null;
  /** Whether nothing is being written: then an approval may take the focus. */
  composerEmpty: () => boolean;
}

const Place = createContext<ToolsPlace | null>(null);

export const ToolsProvider = Place.Provider;

export function useToolsPlace(): ToolsPlace | null {
  return useContext(Place);
}
