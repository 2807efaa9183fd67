// Models: finding servers on this computer, connecting one by key or address, their keys, choosing one.
export { Connect } from "./Connect";
export { connect } from "./connect";
export { FoundServers } from "./FoundServers";
export { KeyForm } from "./KeyForm";
export { useKeyPlace } from "./keyPlace";
export { ModelChoice } from "./ModelChoice";
export { ModelPicker } from "./ModelPicker";
export { ProviderTrouble } from "./ProviderTrouble";
export { isNobody, modelName, modeName, modeOf, OWN_MODEL, useIsAgent, useKeyWords, useKindName, useModelNames, useOffers, useProviderName } from "./words";
export { VaultForm } from "./vault";
