// One picture as large as the window lets it be.
import { closeOverlay } from "@/app/actions";
import { useTranslation } from "@/shared/i18n";
import { Dialog, Spinner } from "@/shared/kit";
import css from "./attachments.module.css";
import { usePicture } from "./picture";

export function PictureViewer({ hash, name }: { hash: string; name: string }) {
  const { t } = useTranslation("attach");
  const picture = usePicture(hash);
  return (
    <Dialog open size="l" onClose={closeOverlay} title={name}>
      <div className={css.large}>
        {picture.state === "ready" && <img src={picture.url} alt={name} />}
        {picture.state === "loading" && <Spinner />}
        {picture.state === "missing" && t("missing", { name })}
      </div>
    </Dialog>
  );
}
