// Acts on conversations that several screens offer.
export {
  deleteConversation,
  exportConversation,
  importConversation,
  openProject,
  startConversation,
  useTitle,
} from "./acts";
export { useHere } from "./here";
export { linesOf, type Line } from "./groups";
export { followLink, readLink, type Linked } from "./links";
export { notifyAway } from "./notify";
