// Pictures and files that go with a block: their names, tokens, and sizes where those are known; a picture opens large.
import { FileText, Image } from "lucide-react";
import { openOverlay } from "@/app/actions";
import { nameOf, type Attachment } from "@/features/attachments";
import { formatBytes, formatTokens, useTranslation } from "@/shared/i18n";
import { quiet } from "@/shared/kit";
import css from "./ContextPane.module.css";

export interface AttachedProps {
  parts: readonly Attachment[];
  /** Bytes by hash. */
  sizes: ReadonlyMap<string, number>;
}

export function Attached({ parts, sizes }: AttachedProps) {
  const { t } = useTranslation("attach");
  if (parts.length === 0) return null;
  return (
    <ul className={css.attached} aria-label={t("label")}>
      {parts.map((part) => {
        const { type, hash, tokens } = part;
        const name = nameOf(part);
        const size = sizes.get(hash);
        const n = formatTokens(tokens);
        return (
          <li key={hash}>
            {type === "image" ? <Image aria-hidden /> : <FileText aria-hidden />}
            {type === "image" ? (
              <button
                type="button"
                aria-label={t("enlarge", { name })}
                onClick={() => openOverlay({ kind: "picture", hash, name })}
              >
                {name}
              </button>
            ) : (
              <span>{name}</span>
            )}
            <span className={quiet.note} data-numeric>
              {size === undefined ? t("tokens", { n }) : t("facts", { size: formatBytes(size), n })}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
