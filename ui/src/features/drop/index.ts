// Folders that are brought in: dropped, picked, or handed over by a second start.
export { DropArea } from "./DropArea";
export { FolderSheet } from "./FolderSheet";
export { offerFolder, pickFolder, useFolderOffers } from "./offer";
