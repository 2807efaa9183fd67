// The settings, a dialog over any place.
export { SettingsDialog } from "./SettingsDialog";
