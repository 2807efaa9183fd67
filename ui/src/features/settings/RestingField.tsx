// A text field whose text becomes a setting when the person is done with it: on Enter, when the focus leaves, and when
// the page goes. What is not taken stays in the field with the reason, so nothing typed is lost.
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { useFailureWords } from "@/features/errors";
import { toFailure } from "@/ipc";
import { TextField, type TextFieldProps } from "@/shared/kit";

export interface RestingFieldProps extends Omit<TextFieldProps, "value" | "onChange" | "error"> {
  /** The setting as text. */
  stored: string;
  /** Why this text cannot be taken; null when it can. */
  check?: (text: string) => string | null;
  onStore: (text: string) => Promise<void>;
}

export function RestingField({ stored, check, onStore, ...field }: RestingFieldProps) {
  const failureWords = useFailureWords();
  /** What was typed since it was last stored. */
  const [typed, setTyped] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const store = async () => {
    if (typed === null) return;
    const wrong = check?.(typed) ?? null;
    setError(wrong);
    if (wrong !== null) return;
    try {
      if (typed !== stored) await onStore(typed);
      // Not what was typed meanwhile.
      setTyped((now) => (now === typed ? null : now));
    } catch (thrown) {
      const { title, hint } = failureWords(toFailure(thrown).code);
      setError(`${title} ${hint}`);
    }
  };
  const leaving = useRef(store);
  useEffect(() => {
    leaving.current = store;
  });
  useEffect(() => () => void leaving.current(), []);
  const keyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.nativeEvent.isComposing) void store();
  };
  return (
    <TextField
      autoComplete="off"
      spellCheck={false}
      {...field}
      value={typed ?? stored}
      error={error}
      onChange={(text) => {
        setTyped(text);
        setError(null);
      }}
      onKeyDown={keyDown}
      onBlur={() => void store()}
    />
  );
}
