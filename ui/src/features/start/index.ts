// The first screen, and the honest one that stands in for everything when the data cannot be read.
import { lazy } from "react";

export { ReadOnlyNotice } from "./ReadOnlyNotice";
export { StartScreen } from "./StartScreen";

/** Loaded when there is trouble. */
export const DamageNotice = lazy(() => import("./DamageNotice").then(({ DamageNotice }) => ({ default: DamageNotice })));
export const DataTrouble = lazy(() => import("./DataTrouble").then(({ DataTrouble }) => ({ default: DataTrouble })));
