// The first screen, and the honest one that stands in for everything when the data cannot be read.
import { later } from "@/shared/later";

export { StartScreen } from "./StartScreen";

/** Loaded when there is trouble. */
export const ReadOnlyNotice = later(() => import("./ReadOnlyNotice"), "ReadOnlyNotice");
export const DamageNotice = later(() => import("./DamageNotice"), "DamageNotice");
export const DataTrouble = later(() => import("./DataTrouble"), "DataTrouble");
