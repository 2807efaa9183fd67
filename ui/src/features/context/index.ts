// What a model sees: the line above the composer and under each reply, the bar below it, the pane at the right, the preview
// behind them, and the file that is being read, which goes with the next message.
export { chooseAlso, dropAlso, giveBackAlso, isSameModel, MOST_ALSO, takeAlso, useAlso } from "./also";
export { ContextBar } from "./ContextBar";
export { ContextPane } from "./ContextPane";
export { isAddable } from "./line";
export { MissingRules } from "./MissingRules";
export { OthersAsked } from "./PlaceChip";
export { previewDraft, useRequestPreview } from "./preview";
export { brought, pickLines, readingSent, tellReading, useReading } from "./reading";
export { ReceiptLine, RequestLine, RequestLines, useAsked } from "./RequestLine";
export { Fill, Strata } from "./Strata";
export { nextView, sentView, wishable } from "./view";
export { useBlockWords, useReadingWords } from "./words";
