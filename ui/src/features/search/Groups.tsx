// What was found, grouped by what it is, the best of each first.
import { readLink, useTitle } from "@/features/conversations";
import { agentName } from "@/features/vault";
import type { Found, FoundGroup, FoundKind, ProjectId, VaultFound, VaultHit } from "@/ipc";
import { formatMoment, formatNumber, useTranslation } from "@/shared/i18n";
import { Button, Notice, quiet, Snippet } from "@/shared/kit";
import { proseLanguage } from "@/shared/language";
import { countOf } from "./Filters";
import css from "./search.module.css";

interface GroupsProps {
  groups: readonly FoundGroup[];
  /** Whether only one kind is looked for, as many of it as are given. */
  single: boolean;
  /** Names of projects; empty where there is nothing to tell apart. */
  projects: ReadonlyMap<ProjectId, string>;
  onOpen: (found: Found) => void;
  onAll: (kind: FoundKind) => void;
}

export function Groups({ groups, single, projects, onOpen, onAll }: GroupsProps) {
  const { t } = useTranslation("search");
  return groups.map((group) => {
    const { kind, found, total, capped } = group;
    return (
      <section key={kind} className={css.group} aria-labelledby={`found-${kind}`}>
        <h3 id={`found-${kind}`} className={css.groupName}>
          {t(`kind.${kind}`)} <span data-numeric>{countOf(group)}</span>
        </h3>
        <ul>
          {found.map((one, index) => (
            <Hit key={`${one.link}:${index}`} found={one} projects={projects} onOpen={onOpen} />
          ))}
        </ul>
        {!single && total > found.length && (
          <Button variant="quiet" data-stop onClick={() => onAll(kind)}>
            {t("all", { kind: t(`kind.${kind}`), n: countOf(group) })}
          </Button>
        )}
        {single && capped && <Notice>{t("capped")}</Notice>}
        {single && !capped && total > found.length && (
          <p className={quiet.note}>{t("more", { n: formatNumber(found.length) })}</p>
        )}
      </section>
    );
  });
}

/** The best of what was said in kept sessions of agents. */
export function OfAgents({ found, onOpen }: { found: VaultFound; onOpen: (hit: VaultHit) => void }) {
  const { t } = useTranslation("search");
  return (
    <section className={css.group} aria-labelledby="found-agents">
      <h3 id="found-agents" className={css.groupName}>
        {t("kind.agents")} <span data-numeric>{countOf(found)}</span>
      </h3>
      <ul>
        {found.hits.map((hit) => (
          <li key={`${hit.id} ${hit.number}`}>
            <button type="button" className={css.hit} data-stop onClick={() => onOpen(hit)}>
              <span className={css.head}>
                {hit.title !== "" && <strong lang={proseLanguage(hit.title)}>{hit.title}</strong>}
                <span className={css.meta}>
                  {[agentName(hit.agent), hit.at !== null && formatMoment(Date.parse(hit.at))].filter(Boolean).join(", ")}
                </span>
              </span>
              <span className={css.snippet}>
                <Snippet parts={hit.snippet} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Hit({ found, projects, onOpen }: { found: Found } & Pick<GroupsProps, "projects" | "onOpen">) {
  const { t } = useTranslation("search");
  const titleOf = useTitle();
  const linked = readLink(found.link);
  const line = linked && "line" in linked && linked.line !== null ? `:${linked.line}` : "";
  const said = found.conversation_id !== null && found.kind !== "checkpoint" && found.kind !== "decision";
  const title = said ? titleOf(found) : found.title;
  const meta = [
    found.kind === "message" && (found.role === "user" || found.role === "assistant") && t(`by.${found.role}`),
    found.project_id !== null && projects.get(found.project_id) !== found.title && projects.get(found.project_id),
    found.at !== null && formatMoment(Date.parse(found.at)),
  ].filter(Boolean);
  return (
    <li>
      <button type="button" className={css.hit} data-stop onClick={() => onOpen(found)}>
        <span className={css.head}>
          {title !== "" && (
            <strong lang={proseLanguage(title)}>
              {title}
              {line}
            </strong>
          )}
          <span className={css.meta}>{meta.join(", ")}</span>
        </span>
        <span className={css.snippet}>
          <Snippet parts={found.snippet} />
        </span>
      </button>
    </li>
  );
}
