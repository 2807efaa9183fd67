// Reading a file of the project.
export { FileViewer } from "./FileViewer";
