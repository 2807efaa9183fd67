// Models: finding servers on this computer, adding one by address, choosing one.
export { AddServer } from "./AddServer";
export { FoundServers } from "./FoundServers";
export { ModelPicker } from "./ModelPicker";
export { connect, useProviderName } from "./connect";
