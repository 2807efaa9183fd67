export { Backups } from "./Backups";
