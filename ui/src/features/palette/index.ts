// The command palette.
export { contains } from "./match";
export { Palette } from "./Palette";
