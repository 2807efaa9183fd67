// Checkpoints: the screen, marks of them in conversations, and the acts on them.
export { CheckpointsEntry } from "./CheckpointsEntry";
export { tellMerged, tellTakenBack } from "./acts";
export { CheckpointMark } from "./CheckpointMark";
export { changedBy, usePlanChoices } from "./choices";
export { NotCapturedList } from "./MomentFacts";
export { PlannedFiles } from "./PlannedFiles";
export { useCheckpointActions, useCheckpoints, useMarks, type Marks } from "./useCheckpoints";
export { useCheckpointWords } from "./words";
