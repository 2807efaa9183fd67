// What others made and the program contains, each with its licence. Over the settings; scripts/licences.py writes the list.
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { Virtualizer } from "virtua";
import { useTranslation } from "@/shared/i18n";
import { Dialog, quiet, Spinner, TextField } from "@/shared/kit";
import css from "./settings.module.css";
import { useSearchKeys } from "./useSearchKeys";

interface Licensed {
  name: string;
  version: string;
  /** An SPDX expression. */
  license: string;
  from: "crates" | "npm" | "fonts" | "model";
}

export function LicencesDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("settings");
  const [query, setQuery] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const keyDown = useSearchKeys(field, () => setQuery(""));
  const all = useQuery({
    queryKey: ["licences"],
    queryFn: async () => (await import("./licences.json")).default as Licensed[],
    staleTime: Infinity,
  }).data;
  const words = query.normalize("NFKC").toLowerCase().split(/\s+/);
  const found = all?.filter(({ name, version, license, from }) => {
    const said = [name, version, license, t(`licences.from.${from}`)].join(" ").toLowerCase();
    return words.every((word) => said.includes(word));
  });
  return (
    <Dialog open size="l" onClose={onClose} title={t("licences.title")} description={t("licences.hint")}>
      <div className={css.licences} onKeyDown={keyDown}>
        <TextField
          ref={field}
          label={t("licences.search")}
          hideLabel
          placeholder={t("licences.search")}
          type="search"
          autoComplete="off"
          spellCheck={false}
          value={query}
          onChange={setQuery}
        />
        {found === undefined && <Spinner />}
        <p className={quiet.note} role="status">
          {found && (found.length > 0 ? t("licences.count", { count: found.length }) : t("licences.none", { query: query.trim() }))}
        </p>
        {found !== undefined && found.length > 0 && <Rows packages={found} />}
      </div>
    </Dialog>
  );
}

/** The frame has the focus, so that keys scroll it. */
function Rows({ packages }: { packages: readonly Licensed[] }) {
  const { t } = useTranslation("settings");
  const scroller = useRef<HTMLDivElement>(null);
  return (
    <div ref={scroller} className={css.packages} role="group" aria-label={t("licences.title")} tabIndex={0} data-selectable>
      <div role="list">
        <Virtualizer scrollRef={scroller} data={packages}>
          {({ name, version, license, from }, index) => (
            <div
              key={`${from} ${name} ${version}`}
              className={css.package}
              role="listitem"
              aria-posinset={index + 1}
              aria-setsize={packages.length}
            >
              <span lang="en">{name}</span> <span data-numeric>{version}</span> <span lang="en">{license}</span>{" "}
              <span>{t(`licences.from.${from}`)}</span>
            </div>
          )}
        </Virtualizer>
      </div>
    </div>
  );
}
