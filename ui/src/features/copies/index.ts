// Side by side: several agents work on one project, each in a copy of it. The way in the rail and what the Today page says of
// it are here; the screen and its dialogs are loaded when they are first shown.
export { CopiesEntry } from "./CopiesEntry";
export { CopyPart, SideBySidePart } from "./TodayParts";
