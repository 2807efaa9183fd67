// Names or patterns of files, one a line; they become the setting when the person is done with them.
import { useEffect, useRef, useState } from "react";
import { tellFailure } from "@/features/errors";
import { TextArea } from "@/shared/kit";

interface PatternsFieldProps {
  label: string;
  description?: string;
  placeholder?: string;
  rows?: number;
  stored: readonly string[];
  onStore: (patterns: string[]) => Promise<void>;
}

export function PatternsField({ label, description, placeholder = "*.pem\nsecrets/", rows = 3, stored, onStore }: PatternsFieldProps) {
  /** What was typed since it was last stored. */
  const [typed, setTyped] = useState<string | null>(null);
  const store = async () => {
    if (typed === null) return;
    const patterns = typed.split("\n").map((line) => line.trimEnd()).filter((line) => line !== "");
    try {
      if (patterns.join("\n") !== stored.join("\n")) await onStore(patterns);
      // Not what was typed meanwhile.
      setTyped((now) => (now === typed ? null : now));
    } catch (thrown) {
      tellFailure(thrown);
    }
  };
  const leaving = useRef(store);
  useEffect(() => {
    leaving.current = store;
  });
  useEffect(() => () => void leaving.current(), []);
  return (
    <div onBlur={() => void store()}>
      <TextArea
        label={label}
        description={description}
        placeholder={placeholder}
        rows={rows}
        value={typed ?? stored.join("\n")}
        onChange={setTyped}
      />
    </div>
  );
}
