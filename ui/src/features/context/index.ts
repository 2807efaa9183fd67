// What a model sees: the bar under the composer, the pane at the right, and the preview behind both.
export { ContextBar } from "./ContextBar";
export { ContextPane } from "./ContextPane";
export { previewDraft, useRequestPreview } from "./preview";
