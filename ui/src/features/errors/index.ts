// Failures in words, by their code, in the language of the interface.
export { ErrorNotice, tellFailure, useFailureWords } from "./ErrorNotice";
