// Questions whose replies are shown side by side, for as long as the window is there. Rows read it; what sends a question to
// several models sets it.
import { create } from "zustand";
import type { MessageId } from "@/ipc";

const useQuestions = create<Readonly<Record<MessageId, boolean>>>(() => ({}));

export function showSides(question: MessageId, shown: boolean): void {
  useQuestions.setState({ [question]: shown });
}

export function useSidesShown(question: MessageId | undefined): boolean {
  return useQuestions((all) => question !== undefined && (all[question] ?? false));
}
