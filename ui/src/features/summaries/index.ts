// Summaries of a conversation: their tab in the context pane, their lines between the messages, and their words.
export { SummariesTab } from "./SummariesTab";
export { useFolding } from "./useFolding";
export { formatRate, POLICIES, RATES, useSummaryWords } from "./words";
