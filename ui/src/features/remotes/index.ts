// Places beyond this computer that checkpoints are pushed to and pulled from.
export { CarryDialog } from "./CarryDialog";
export { RemotesPage } from "./RemotesPage";
