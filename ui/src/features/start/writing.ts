// What stands in the question field of the first screen, also while another place is looked at; the miniature beside it
// follows.
import { create } from "zustand";

export const useWriting = create<{ text: string }>(() => ({ text: "" }));
