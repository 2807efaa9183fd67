// The work of a project: its plan in the rail, where it stopped, and the files that carry it elsewhere.
export { answered, changeWork, isWorkCommand, runWorkCommand } from "./acts";
export { ResumeCard } from "./ResumeCard";
export { SessionNotice } from "./SessionNotice";
export { WorkLine } from "./WorkLine";
