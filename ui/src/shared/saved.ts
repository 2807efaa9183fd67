// What is said when a file was written where the person wanted it.
import { i18n } from "@/shared/i18n";

/** The sentence, and a word beside it where others may put another file in this one's place. */
export function written(sentence: string, saved: { shared: boolean }): string {
  return saved.shared ? `${sentence} ${i18n.t("sharedFolder", { ns: "common" })}` : sentence;
}
