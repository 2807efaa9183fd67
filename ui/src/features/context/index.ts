// What a model sees: the bar under the composer, the pane at the right, the preview behind both, and the file
// that is being read, which goes with the next message.
export { ContextBar } from "./ContextBar";
export { ContextPane } from "./ContextPane";
export { MissingRules } from "./MissingRules";
export { OthersAsked, PlaceChip } from "./PlaceChip";
export { previewDraft, useRequestPreview } from "./preview";
export { brought, pickLines, readingSent, tellReading, useReading } from "./reading";
export { ReadingChip } from "./ReadingChip";
export { Strata } from "./Strata";
export { sentView } from "./view";
export { useBlockWords, useReadingWords } from "./words";
