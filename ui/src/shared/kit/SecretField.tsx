// A field for a key or a passphrase. What is typed stays in the field itself and never enters React's state: the owner
// reads it through the ref when it is needed, and empties the field when it was used.
import { Eye, EyeOff } from "lucide-react";
import { useId, useState, type ReactNode, type RefObject } from "react";
import { useTranslation } from "../i18n";
import { IconButton } from "./Button";
import css from "./kit.module.css";

export interface SecretFieldProps {
  ref: RefObject<HTMLInputElement | null>;
  label: string;
  placeholder?: string;
  description?: ReactNode;
  error?: ReactNode;
  autoFocus?: boolean;
  /** While it is used: it keeps the focus and what it holds. */
  readOnly?: boolean;
  /** Something changed; the text is in the field. */
  onInput?: () => void;
}

export function SecretField({ ref, label, placeholder, description, error, autoFocus, readOnly, onInput }: SecretFieldProps) {
  const { t } = useTranslation("common");
  const [shown, setShown] = useState(false);
  const id = useId();
  const hint = error ?? description;
  return (
    <div className={css.field}>
      <label htmlFor={id} className={css.label}>
        {label}
      </label>
      <div className={css.secret}>
        <input
          ref={ref}
          id={id}
          className={css.input}
          type={shown ? "text" : "password"}
          placeholder={placeholder}
          autoComplete="off"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          // The field takes the focus only where a person just asked for it.
          // eslint-disable-next-line jsx-a11y/no-autofocus
          autoFocus={autoFocus}
          readOnly={readOnly}
          data-invalid={error ? "" : undefined}
          aria-invalid={error ? true : undefined}
          aria-describedby={hint ? `${id}-hint` : undefined}
          onInput={onInput}
        />
        <IconButton
          label={shown ? t("hideSecret", { label }) : t("showSecret", { label })}
          aria-pressed={shown}
          icon={shown ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
          onClick={() => setShown(!shown)}
        />
      </div>
      {hint && (
        <p id={`${id}-hint`} className={error ? css.error : css.hint}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** Takes what is in a secret field and empties it. */
export function takeSecret(field: RefObject<HTMLInputElement | null>): string {
  const input = field.current;
  if (!input) return "";
  const { value } = input;
  input.value = "";
  return value;
}
