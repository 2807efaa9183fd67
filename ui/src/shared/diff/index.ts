// What sets two texts apart: as parts, as the lines of a unified diff, and drawn.
export { Diff, useDrawn, type Drawn } from "./Diff";
export { difference, diffParts, type Difference, type Part } from "./difference";
export { lineDiff, type LineDiff } from "./lines";
