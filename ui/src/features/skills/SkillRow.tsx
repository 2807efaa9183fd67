// One skill of the list: what it says of itself, what it costs, and the three things that can be done with it.
import { Check } from "lucide-react";
import { useRef } from "react";
import type { MemoryLineId, SkillItem } from "@/ipc";
import { formatTokens, useTranslation } from "@/shared/i18n";
import { proseLanguage } from "@/shared/language";
import { Button, quiet, Switch } from "@/shared/kit";
import { Revealed } from "@/shared/Revealed";
import { Refused, useChoosing, type Place } from "./choosing";
import css from "./skills.module.css";
import { useFaultWords } from "./words";

interface SkillRowProps {
  item: SkillItem;
  place: Place;
  onRead: () => void;
}

export function SkillRow({ item, place, onRead }: SkillRowProps) {
  const { t } = useTranslation("skills");
  const faultWords = useFaultWords();
  const { failure, take, drop, offer } = useChoosing(item, place);
  const main = useRef<HTMLButtonElement>(null);
  const { id, name, description, needs, tokens, told_tokens, also_in, chosen, fault, hash } = item;
  const speechless = description === "";
  // The button goes with what it does; what had the focus gives it to the one that stays.
  const renew = async () => {
    if (await take(hash)) main.current?.focus();
  };
  const leave = async (line: MemoryLineId) => {
    // One that cannot be used has nothing left to be done with.
    const next = fault === null ? null : neighbour(main.current);
    if (await drop(line)) next?.focus();
  };
  return (
    <li className={css.skill}>
      <div className={css.head}>
        <strong className={css.name}>
          <Revealed text={name} name />
        </strong>
        <span className={css.place} data-selectable>
          <Revealed text={id} name />
        </span>
        {tokens > 0 && (
          <span className={`${quiet.note} ${css.cost}`} data-numeric>
            {t("tokens", { n: formatTokens(tokens) })}
          </span>
        )}
      </div>
      {!speechless && (
        <p className={css.about} lang={proseLanguage(description)} title={description}>
          <Revealed text={description} />
        </p>
      )}
      {also_in.length > 0 && <p className={quiet.note}>{t("alsoIn", { paths: also_in.join(", ") })}</p>}
      {needs !== null && (
        <p className={quiet.note}>
          <Revealed text={t("needs", { needs })} />
        </p>
      )}
      {fault !== null && <p className={css.lacking}>{t("unusable", { why: faultWords(fault) })}</p>}
      {chosen?.changed && <p className={css.lacking}>{t(fault === null ? "changed" : "stays")}</p>}
      <Refused failure={failure} name={name} />
      <div className={css.acts}>
        {place.conversationId !== null && (chosen !== null || fault === null) && (
          <>
            {chosen && (
              <span className={css.chosen}>
                <Check aria-hidden />
                {t("inUse")}
              </span>
            )}
            <Button
              ref={main}
              variant={chosen ? "quiet" : "plain"}
              aria-label={t(chosen ? "removeOne" : "useOne", { name })}
              onClick={() => void (chosen ? leave(chosen.line_id) : take(hash))}
            >
              {t(chosen ? "remove" : "use")}
            </Button>
            {chosen?.changed && fault === null && (
              <Button aria-label={t("useNewOne", { name })} onClick={() => void renew()}>
                {t("useNew")}
              </Button>
            )}
          </>
        )}
        {(fault === null || chosen !== null) && (
          <Button variant="quiet" aria-label={t("readOne", { name })} onClick={onRead}>
            {t("read")}
          </Button>
        )}
      </div>
      {fault === null && (
        <Switch
          label={t("offer", { name })}
          description={speechless ? t("speechless") : t("told", { n: formatTokens(told_tokens) })}
          checked={item.offered}
          disabled={speechless}
          onChange={(on) => void offer(on)}
        />
      )}
    </li>
  );
}

/** What can be pressed in the row behind this one's or before it; else what is around all of them. */
function neighbour(button: HTMLElement | null): HTMLElement | null {
  const row = button?.closest("li");
  const near = [row?.nextElementSibling, row?.previousElementSibling].map((other) => other?.querySelector("button"));
  return near.find((other) => other) ?? row?.closest<HTMLElement>("[role=dialog]") ?? null;
}
