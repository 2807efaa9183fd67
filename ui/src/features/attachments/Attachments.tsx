// What a message carries beside its text: pictures as thumbnails that open large, PDF files as a line with their name.
import { FileText, ImageOff } from "lucide-react";
import { useState } from "react";
import { openOverlay } from "@/app/actions";
import { formatTokens, useTranslation } from "@/shared/i18n";
import css from "./attachments.module.css";
import { usePicture, type Attachment } from "./picture";

export function Attachments({ parts }: { parts: readonly Attachment[] }) {
  const { t } = useTranslation("attach");
  if (parts.length === 0) return null;
  return (
    <ul className={css.attachments} aria-label={t("label")}>
      {parts.map((part, index) => (
        <li key={index}>{part.type === "image" ? <Thumbnail picture={part} /> : <FileLine file={part} />}</li>
      ))}
    </ul>
  );
}

function FileLine({ file: { name, tokens } }: { file: Attachment }) {
  const { t } = useTranslation("attach");
  return (
    <span className={css.file}>
      <FileText size={14} aria-hidden />
      <span className={css.name} title={name}>
        {name}
      </span>
      <span className={css.muted} data-numeric>
        {t("tokens", { n: formatTokens(tokens) })}
      </span>
    </span>
  );
}

/** Of a height of its own, so that nothing moves when the picture comes. */
function Thumbnail({ picture: { hash, name } }: { picture: Attachment }) {
  const { t } = useTranslation("attach");
  const picture = usePicture(hash);
  const [broken, setBroken] = useState(false);
  if (broken || picture.state === "missing") {
    return (
      <span className={css.file}>
        <ImageOff size={14} aria-hidden />
        {t("missing", { name })}
      </span>
    );
  }
  return (
    <button
      type="button"
      className={css.thumbnail}
      aria-label={t("enlarge", { name })}
      title={name}
      onClick={() => openOverlay({ kind: "picture", hash, name })}
    >
      {picture.state === "ready" && <img src={picture.url} alt="" onError={() => setBroken(true)} />}
    </button>
  );
}
