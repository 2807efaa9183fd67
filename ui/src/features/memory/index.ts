// Memory in layers: what the rest of the window needs of it. The screen itself is loaded when it is opened.
export { clearLines, isCommand, refreshMemory, remember, runCommand, startOf, type Where } from "./acts";
export { MemoryChanges } from "./Changes";
export { FileNotes } from "./Findings";
export { KeptFor } from "./KeptFor";
export { RememberSelection } from "./RememberSelection";
export { passagesOf, useTicks, type Ticks } from "./ticks";
export { useRefusalWords } from "./words";
