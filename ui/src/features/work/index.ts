// The work of a project: its plan, what replies propose for it, and the files that carry it elsewhere.
export { begin, changeWork, isWorkCommand, runWorkCommand } from "./acts";
export { progressOf, shownTasks } from "./progress";
export { ProposedChange } from "./ProposedChange";
export { SessionNotice } from "./SessionNotice";
