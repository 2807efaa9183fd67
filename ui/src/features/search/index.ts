// Searching all messages.
export { SearchDialog } from "./SearchDialog";
