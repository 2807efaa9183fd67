// Sealed checkpoints: switching that on and off, the recovery passphrase, and opening them again.
export { SealedNotice } from "./SealedNotice";
export { Sealing } from "./Sealing";
