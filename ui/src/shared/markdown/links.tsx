// Links and images of a message. Neither navigates nor fetches: a link has no href at all, so no
// click, middle click or drag can lead the window away, and both only call onLink.
import { ImageOff } from "lucide-react";
import { createContext, useContext, type KeyboardEvent, type MouseEvent, type ReactNode } from "react";
import { useTranslation } from "../i18n";
import css from "./markdown.module.css";

export type OnLink = (url: string) => void;

const LinkContext = createContext<OnLink>(() => {});
export const LinkProvider = LinkContext.Provider;

export function useOnLink(): OnLink {
  return useContext(LinkContext);
}

export function Link({ url, children }: { url: string; children: ReactNode }) {
  const onLink = useOnLink();
  const open = (event: MouseEvent | KeyboardEvent) => {
    event.preventDefault();
    onLink(url);
  };
  return (
    // eslint-disable-next-line jsx-a11y/anchor-is-valid -- an address would navigate
    <a
      role="link"
      tabIndex={0}
      title={readable(url)}
      className={url.startsWith("silt:") ? css.source : css.link}
      onClick={open}
      onKeyDown={(event) => event.key === "Enter" && open(event)}
    >
      {children}
    </a>
  );
}

export function ImageChip({ url, alt }: { url: string; alt: string }) {
  const { t } = useTranslation("markdown");
  const onLink = useOnLink();
  const name = alt || t("image");
  return (
    <button
      type="button"
      className={css.image}
      aria-label={t("imageAt", { alt: name, url })}
      onClick={() => onLink(url)}
    >
      <ImageOff aria-hidden />
      <span>{name}</span>
      <span className={css.imageUrl}>{url}</span>
    </button>
  );
}

function readable(url: string): string {
  if (!url.startsWith("silt:file/")) return url;
  try {
    const [path, query] = url.slice("silt:file/".length).split("?line=");
    return decodeURIComponent(path!) + (query ? `:${query}` : "");
  } catch {
    return url;
  }
}
