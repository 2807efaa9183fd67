// The presentational heart of the chat: list, composer, and the data they show.
export { ChatScreen } from "./ChatScreen";
export { Composer, type ComposerHandle, type ComposerProps } from "./Composer";
export { followReplies } from "./follow";
export { bring, highlight, rangeOf } from "./highlight";
export { MessageList, type MessageListHandle, type MessageListProps } from "./MessageList";
export { pathQuery } from "./path";
export * from "./rows";
export { replyStream, useReplyStream, type Stream } from "./stream";
export { piecesOf } from "./pieces";
export { Reasoning } from "./Reasoning";
export { SiblingSwitch } from "./SiblingSwitch";
export { toParts } from "./toRows";
