// What a turn changed in files: the line under its reply, and the dialog in which pieces of it are taken back.
export { ChangesBar } from "./ChangesBar";
