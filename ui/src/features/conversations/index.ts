// Acts on conversations that several screens offer.
export {
  deleteConversation,
  exportConversation,
  importConversation,
  openProject,
  startConversation,
  useTitle,
} from "./acts";
export { followLink } from "./links";
export { notifyAway } from "./notify";
