// The Today page of a project: its way in the rail, and its rows for the palette. The page itself is loaded when it is first
// shown.
export { TodayEntry } from "./TodayEntry";
export { aboutCalls, useChangedTurns, useWaiting } from "./useToday";
