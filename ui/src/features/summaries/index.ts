// Summaries of a conversation: their tab in the context pane, their lines between the messages, and their words.
export { endOf } from "./cards";
export { Facts, type FactAct } from "./Facts";
export { FoldHead, FoldLine, FoldRule, MarginRule } from "./FoldLine";
export { Shares } from "./Receipt";
export { RecallFields } from "./RecallFields";
export { SummariesTab } from "./SummariesTab";
export { covers, useFolding, type Fold, type Folding } from "./useFolding";
export { RateSlider } from "./RateSlider";
export { POLICIES, useSummaryWords } from "./words";
