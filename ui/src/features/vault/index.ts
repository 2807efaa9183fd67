// Sessions of other agents: what others say of them. The screen is loaded when it is opened.
export { useSaid } from "./said";
export { agentName, endOf, titleOf } from "./words";
