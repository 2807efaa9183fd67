// What narrows a search: which project, who said it, when, and which kind of thing.
import type { FoundGroup, FoundKind, Project } from "@/ipc";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { Button, Select, TextField } from "@/shared/kit";
import { isNarrowed, isRange, KINDS, SPANS, startOfTyped, UNFILTERED, type Chosen, type Span } from "./filter";
import css from "./search.module.css";

const EVERY = "every";

interface FiltersProps {
  chosen: Chosen;
  /** The open project first. */
  projects: readonly Project[];
  onChange: (chosen: Chosen) => void;
}

export function Filters({ chosen, projects, onChange }: FiltersProps) {
  const { t } = useTranslation("search");
  const set = (part: Partial<Chosen>) => onChange({ ...chosen, ...part });
  return (
    <>
      <div className={css.filters} role="group" aria-label={t("filter.label")}>
        {projects.length > 0 && (
          <Select
            label={t("filter.where")}
            hideLabel
            value={chosen.project ?? EVERY}
            onChange={(id) => set({ project: id === EVERY ? null : id })}
            options={[
              { value: EVERY, label: t("filter.everywhere") },
              ...projects.map(({ id, name, path }) => ({ value: id, label: name, hint: path })),
            ]}
          />
        )}
        <Select<Chosen["who"]>
          label={t("filter.who")}
          hideLabel
          value={chosen.who}
          onChange={(who) => set({ who })}
          options={[
            { value: "anyone", label: t("filter.anyone") },
            { value: "user", label: t("filter.you") },
            { value: "assistant", label: t("filter.model") },
          ]}
        />
        <Select<Span>
          label={t("filter.when")}
          hideLabel
          value={chosen.span}
          onChange={(span) => set({ span })}
          options={SPANS.map((value) => ({ value, label: t(`filter.spans.${value}`) }))}
        />
        {isNarrowed(chosen) && (
          <Button variant="quiet" onClick={() => onChange(UNFILTERED)}>
            {t("filter.clear")}
          </Button>
        )}
      </div>
      {chosen.span === "range" && <Range chosen={chosen} onChange={set} />}
    </>
  );
}

/** Two days, each of which may be left open. */
function Range({ chosen, onChange }: { chosen: Chosen; onChange: (part: Partial<Chosen>) => void }) {
  const { t } = useTranslation("search");
  const errorOf = (text: string) => text.trim() !== "" && startOfTyped(text) === null && t("filter.noDay");
  const turned = !errorOf(chosen.from) && !errorOf(chosen.to) && !isRange(chosen) && t("filter.turned");
  const end = (key: "from" | "to") => (
    <TextField
      label={t(`filter.${key}`)}
      placeholder={t("filter.day")}
      autoComplete="off"
      value={chosen[key]}
      onChange={(text) => onChange({ [key]: text })}
      error={errorOf(chosen[key]) || (key === "to" && turned)}
    />
  );
  return (
    <div className={css.range}>
      {end("from")}
      {end("to")}
    </div>
  );
}

interface KindsProps {
  groups: readonly FoundGroup[];
  kind: FoundKind | null;
  onChange: (kind: FoundKind | null) => void;
}

/** Each kind that was found, with how often; the chosen one stays when the words change. */
export function Kinds({ groups, kind, onChange }: KindsProps) {
  const { t } = useTranslation("search");
  const found = KINDS.map((of) => ({ of, group: groups.find((group) => group.kind === of) }));
  const shown = found.filter(({ of, group }) => group !== undefined || of === kind);
  if (shown.length === 0) return null;
  return (
    <div className={css.kinds} role="group" aria-label={t("kind.label")}>
      <button type="button" className={css.kind} aria-pressed={kind === null} onClick={() => onChange(null)}>
        {t("kind.all")}
      </button>
      {shown.map(({ of, group }) => (
        <button
          key={of}
          type="button"
          className={css.kind}
          aria-pressed={kind === of}
          onClick={() => onChange(kind === of ? null : of)}
        >
          {t(`kind.${of}`)} <span data-numeric>{countOf(group)}</span>
        </button>
      ))}
    </div>
  );
}

/** "12", or "900+" where counting stopped. */
export function countOf(group: Pick<FoundGroup, "total" | "capped"> | undefined): string {
  return formatNumber(group?.total ?? 0) + (group?.capped ? "+" : "");
}
