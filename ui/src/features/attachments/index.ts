// Pictures and PDF files: shown in messages, gathered for the next one.
export { Attachments } from "./Attachments";
export { attachDropped, attachFiles, dismissRefused, pickAttachments, useArriving } from "./draft";
export { AttachButton, DraftAttachments } from "./DraftAttachments";
export { takeFiles } from "./paste";
export { draftOf, type Attachment } from "./picture";
export { PictureViewer } from "./PictureViewer";
