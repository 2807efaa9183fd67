// What sets two texts apart: as parts, as a difference of lines, and drawn.
export { Counts, Diff, useDrawn, type Drawn } from "./Diff";
export { difference, diffParts, type Difference, type Part } from "./difference";
export { lineDiff, type Difference as LineDifference, type Hunk } from "./lines";
