// What memory is called, what is wrong with it, and where it is of, in the language of the interface.
import { useCallback } from "react";
import type { FindingKind, MemoryLayer, Origin, Refusal } from "@/ipc";
import { formatBytes, formatNumber, formatTokens, useTranslation } from "@/shared/i18n";

export function useFindingWords(): (kind: FindingKind) => string {
  const { t } = useTranslation("memory");
  return useCallback(
    (kind) => {
      switch (kind.code) {
        case "hidden_unicode":
          return t("finding.hidden_unicode", { count: kind.count });
        case "too_long":
          return t("finding.too_long", { tokens: formatTokens(kind.tokens) });
        case "secret":
          return t("finding.secret", { rule: kind.rule });
        default:
          return t(`finding.${kind.code}`);
      }
    },
    [t],
  );
}

export function useRefusalWords(): (refusal: Refusal) => string {
  const { t } = useTranslation("memory");
  return (refusal) => {
    switch (refusal.code) {
      case "too_large":
        return t("refusal.too_large", { bytes: formatBytes(refusal.bytes), most: formatBytes(refusal.most) });
      case "too_much":
        return t("refusal.too_much", { most: formatBytes(refusal.most) });
      case "too_many":
        // A key that ends in "_many" would be a plural.
        return t("refusal.tooMany", { most: formatNumber(refusal.most) });
      case "too_deep":
        return t("refusal.too_deep", { most: formatNumber(refusal.most) });
      case "unreadable":
        return t("refusal.unreadable", { detail: refusal.detail });
      default:
        return t(`refusal.${refusal.code}`);
    }
  };
}

/** The file with its layer; the layer alone for an added line. */
export function useOriginWords(): (origin: Pick<Origin, "path" | "layer">) => string {
  const { t } = useTranslation("memory");
  return ({ path, layer }) => {
    const name = t(`layers.${layer}`);
    return path === null ? name : `${nameOf(path, layer)} (${name})`;
  };
}

/** The path of a file; of one of global memory its name alone, which is all that tells it apart. */
export function nameOf(path: string, layer: MemoryLayer): string {
  return layer === "global" ? (path.split(/[/\\]/).at(-1) ?? path) : path;
}

/** Versions, the newest first, with the number that each has for a person: 1 is the oldest. */
export function numbered<V extends { seq: number }>(versions: readonly V[]): (V & { n: number })[] {
  return versions.map((version, at) => ({ ...version, n: versions.length - at }));
}
