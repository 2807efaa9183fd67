// Failures in words, by their code, in the language of the interface.
export { ErrorNotice, failureWords, tellFailure, useFailureWords } from "./ErrorNotice";
