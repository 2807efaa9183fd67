// Why a skill cannot be used, in the language of the interface.
import type { SkillFault } from "@/ipc";
import { formatBytes, i18n, useTranslation } from "@/shared/i18n";

export function faultWords(fault: SkillFault): string {
  const t = i18n.getFixedT(null, "skills");
  switch (fault.code) {
    case "too_long":
      return t("fault.too_long", { bytes: formatBytes(fault.bytes), most: formatBytes(fault.most) });
    case "unreadable":
    case "closed":
      return t(`fault.${fault.code}`, { detail: fault.detail });
    default:
      return t(`fault.${fault.code}`);
  }
}

/** As a hook, so that a switch of the language is followed. */
export function useFaultWords(): (fault: SkillFault) => string {
  useTranslation("skills");
  return faultWords;
}
