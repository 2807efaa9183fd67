// Checkpoints: the screen, marks of them in conversations, and the acts on them.
export { CheckpointsEntry } from "./CheckpointsEntry";
export { tellTakenBack } from "./acts";
export { CheckpointMark } from "./CheckpointMark";
export { useCheckpointActions, useCheckpoints, useMarks, type Marks } from "./useCheckpoints";
export { useCheckpointWords } from "./words";
