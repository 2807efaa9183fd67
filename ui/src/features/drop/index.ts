// Folders that are brought in: dropped, picked, or handed over by a second start.
import { later } from "@/shared/later";

export { DropArea } from "./DropArea";
export { offerFolder, pickFolder, useFolderOffers } from "./offer";

/** Loaded when a folder is first offered. */
export const FolderSheet = later(() => import("./FolderSheet"), "FolderSheet");
