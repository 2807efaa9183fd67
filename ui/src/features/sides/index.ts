// How wide the panes beside the page are.
export { SideWidth } from "./SideWidth";
