// The first screen, and the honest one that stands in for everything when the data cannot be read.
export { DataTrouble } from "./DataTrouble";
export { StartScreen } from "./StartScreen";
