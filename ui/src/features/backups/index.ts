export { Backups } from "./Backups";
export { Salvage, SalvageDialog } from "./Salvage";
