// Models: finding servers on this computer, connecting one by key or address, their keys, choosing one.
export { firstToAsk, makeDefault, rememberModel, useRecentModels } from "./choosing";
export { Connect } from "./Connect";
export { connect } from "./connect";
export { ModelFacts, useFacts } from "./facts";
export { FoundServers } from "./FoundServers";
export { KeyForm } from "./KeyForm";
export { useKeyPlace } from "./keyPlace";
export { AnotherModel, ModelChoice, useAnyModel } from "./ModelChoice";
export { ModelPicker } from "./ModelPicker";
export { ProviderTrouble } from "./ProviderTrouble";
export { isNobody, modelName, modeName, modeOf, OWN_MODEL, useIsAgent, useKeyWords, useKindName, useModelNames, useOffers, useProviderName } from "./words";
export { VaultForm } from "./vault";
