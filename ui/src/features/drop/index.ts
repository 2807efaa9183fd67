// Folders that are brought in: dropped, picked, or handed over by a second start.
import { lazy } from "react";

export { DropArea } from "./DropArea";
export { offerFolder, pickFolder, useFolderOffers } from "./offer";

/** Loaded when a folder is first offered. */
export const FolderSheet = lazy(() => import("./FolderSheet").then(({ FolderSheet }) => ({ default: FolderSheet })));
