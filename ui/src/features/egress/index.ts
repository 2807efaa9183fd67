// What left this computer: the list of requests, and the exact bytes of one.
export { LeftList } from "./LeftList";
export { SentBodyDialog } from "./SentBodyDialog";
