// What a turn changed in files, and what is different in a copy: the line under its reply, and the dialog in which pieces of it are taken back.
export { ChangesBar } from "./ChangesBar";
