// What a message carries beside its text: pictures as thumbnails that open large, pasted texts as a line that opens, PDF
// files as a line with their name.
import { ClipboardPaste, FileText, ImageOff } from "lucide-react";
import { useState } from "react";
import { openOverlay } from "@/app/actions";
import { formatTokens, useTranslation } from "@/shared/i18n";
import { quiet } from "@/shared/kit";
import css from "./attachments.module.css";
import { nameOf, usePicture, type Attachment } from "./picture";

export function Attachments({ parts }: { parts: readonly Attachment[] }) {
  const { t } = useTranslation("attach");
  if (parts.length === 0) return null;
  return (
    <ul className={css.attachments} aria-label={t("label")}>
      {parts.map((part, index) => (
        <li key={index}>
          {part.type === "image" ? (
            <Thumbnail picture={part} />
          ) : (
            <span className={css.file}>
              {part.type === "pasted" ? <PastedName pasted={part} /> : <FileName file={part} />}
              <span className={`${quiet.note} ${css.size}`} data-numeric>
                {t("tokens", { n: formatTokens(part.tokens) })}
              </span>
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

type Of<T> = Extract<Attachment, { type: T }>;

function FileName({ file: { name } }: { file: Of<"file"> }) {
  return (
    <>
      <FileText aria-hidden />
      <span className={css.name} title={name}>
        {name}
      </span>
    </>
  );
}

/** Opens to the whole of it. */
export function PastedName({ pasted }: { pasted: Of<"pasted"> }) {
  const { hash, text } = pasted;
  const name = nameOf(pasted);
  return (
    <>
      <ClipboardPaste aria-hidden />
      <button type="button" className={css.opens} onClick={() => openOverlay({ kind: "text", name, text, hash })}>
        {name}
      </button>
    </>
  );
}

/** Of a height of its own, so that nothing moves when the picture comes. */
function Thumbnail({ picture: { hash, name } }: { picture: Of<"image"> }) {
  const { t } = useTranslation("attach");
  const picture = usePicture(hash);
  const [broken, setBroken] = useState(false);
  if (broken || picture.state === "missing") {
    return (
      <span className={css.file}>
        <ImageOff aria-hidden />
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
