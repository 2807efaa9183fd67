// How an answer to a request is told: the server's status as it is, an error of ours in words.
import { useFailureWords } from "@/features/errors";
import { useTranslation } from "@/shared/i18n";

export function useAnswerWords(): (answer: string | null) => string {
  const { t } = useTranslation("egress");
  const failure = useFailureWords();
  return (answer) => {
    if (answer === null) return t("unanswered");
    return /^\d+$/.test(answer) ? answer : failure(answer).title;
  };
}
