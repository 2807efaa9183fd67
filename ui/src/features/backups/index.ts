export { Backups } from "./Backups";
export { Salvage } from "./Salvage";
