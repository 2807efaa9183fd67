// Pictures, PDF files and pasted texts: shown in messages, gathered for the next one.
export { Attachments } from "./Attachments";
export { attachFiles, attachText, dismissRefused, pickAttachments, removeAttachment, useArriving } from "./draft";
export { AttachButton, DraftAttachments } from "./DraftAttachments";
export { FIELD_BYTES, takePaste, type Pasting } from "./paste";
export { draftOf, isAttachment, nameOf, type Attachment } from "./picture";
