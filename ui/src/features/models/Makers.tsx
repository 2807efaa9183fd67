// Makers of models, by the names that people know them by and marks of our own: whose key it is that is pasted.
import type { ProviderRecord } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Button, Mark, type MarkProps } from "@/shared/kit";
import { ADDRESSES } from "./connect";
import css from "./models.module.css";

interface Maker extends MarkProps {
  label: string;
  record: ProviderRecord;
}

const openai = (name: string, base_url: string): ProviderRecord => ({ name, kind: "openai", base_url });

const MAKERS: readonly Maker[] = [
  {
    label: "Anthropic",
    record: { name: "Anthropic", kind: "anthropic", base_url: ADDRESSES.anthropic },
    shape: "M3 13L8 3l5 10M5.25 9.5h5.5",
    hue: "clay",
  },
  {
    label: "OpenAI",
    record: openai("OpenAI", "https://api.openai.com/v1"),
    shape: "M8 3a5 5 0 1 0 0 10a5 5 0 1 0 0-10zM8 8h.01",
    hue: "teal",
  },
  {
    label: "Google",
    record: { name: "Gemini", kind: "gemini", base_url: ADDRESSES.gemini },
    shape: "M11.75 4.7A5 5 0 1 0 13 8H8.5",
    hue: "slate",
  },
  {
    label: "OpenRouter",
    record: openai("OpenRouter", "https://openrouter.ai/api/v1"),
    shape: "M2.5 8H6l3.5-4h4M6 8l3.5 4h4",
    hue: "plum",
  },
  { label: "Mistral", record: openai("Mistral", "https://api.mistral.ai/v1"), shape: "M2.5 4.5h7M2.5 8h11M6.5 11.5h7", hue: "clay" },
  { label: "DeepSeek", record: openai("DeepSeek", "https://api.deepseek.com/v1"), shape: "M3 4.5l5 4 5-4M3 8.5l5 4 5-4", hue: "slate" },
  { label: "Groq", record: openai("Groq", "https://api.groq.com/openai/v1"), shape: "M9 2.5L4 9h3.5L7 13.5 12 7H8.5z", hue: "moss" },
  { label: "xAI", record: openai("xAI", "https://api.x.ai/v1"), shape: "M3.5 3.5l9 9M12.5 3.5l-9 9", hue: "plum" },
];

interface MakersProps {
  chosen: ProviderRecord | null;
  onChoose: (maker: ProviderRecord | null) => void;
}

export function Makers({ chosen, onChoose }: MakersProps) {
  const { t } = useTranslation("keys");
  return (
    <div className={css.makers} role="group" aria-label={t("connect.makers")}>
      {MAKERS.map(({ label, record, ...mark }) => (
        <Button
          key={label}
          className={css.maker}
          icon={<Mark {...mark} />}
          aria-pressed={chosen === record}
          onClick={() => onChoose(chosen === record ? null : record)}
        >
          {label}
        </Button>
      ))}
    </div>
  );
}
