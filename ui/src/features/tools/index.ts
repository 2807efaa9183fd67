// Calls of tools in the conversation: their rows, approvals and runs. What may be called is set in panel, mcp, inbox and tree.
export { Calls } from "./Calls";
export { calledIn, type Called } from "./called";
export { isBusy, unwritten, type Call, type Step } from "./calls";
export { callProgressed, callsEnded, callSaid, callsStarted, revealResult, useProgress, useWaits, waits } from "./live";
export { lookForWaiting } from "./waiting";
export { ToolsProvider, useToolsPlace, type ToolsPlace } from "./place";
export { toolName } from "./names";
export { RunTable } from "./RunTable";
export { InboxBadge } from "./inbox/InboxBadge";
export { ProposedHere } from "./inbox/ProposedHere";
export { ServersPage } from "./mcp/ServersPage";
export { PlaceSelect } from "./panel/PlaceSelect";
export { Rules } from "./panel/Rules";
export { CommandsSwitch, ToolList } from "./panel/ToolList";
export { PlanRun } from "./tree/PlanRun";
export { JudgeButton, Verdict } from "./tree/Verdict";
