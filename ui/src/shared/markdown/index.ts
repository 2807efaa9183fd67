// Markdown for the features: the component, the link context and the splitter.
export { splitBlocks } from "./blocks";
export { drawnText } from "./drawn";
export { LinkProvider, useOnLink, type OnLink } from "./links";
export { Markdown, type MarkdownProps } from "./Markdown";
export { goingOn, isAllowedLink, openFence } from "./parse";
