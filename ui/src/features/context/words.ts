// What a block is called and why it is there, in the language of the interface.
import { useSummaryWords } from "@/features/summaries";
import { toolName, type Called } from "@/features/tools";
import type { InjectedWhy, LeftOut, Reason, Shares, Worth } from "@/ipc";
import { formatDay, formatNumber, formatTokens, useTranslation } from "@/shared/i18n";
import type { Reading } from "./reading";
import type { LinePart } from "./line";
import { isExact, isRecalled, startOf, type Block, type Drawn, type Piece } from "./view";

/** Several of a kind that were left out together, as the engine writes it. */
const SEVERAL = /^(conversation|summaries) \((\d+)\)$/;

/** A file of global memory, as the engine writes it. */
const GLOBAL = / \(global\)$/;

/** The title of a conversation, where it has one, and the day of a passage, as the engine writes them. */
const RECALLED = /^(?:(.*) · )?(\d{4})-(\d{2})-(\d{2})$/s;

/** A skill that was chosen, by its folder in the project or in the home, as the engine writes it. */
const SKILL = /^skill\/(?:~\/)?\.(?:config\/)?[a-z]+\/skills\/([^/]+)$/;

/** What a server says of its tools. */
const SERVER = "server:";

/** The parts of what a message is worth, as they are told. */
const WORTH: readonly (keyof Worth)[] = ["decision", "error", "tools", "mention", "recency", "density"];

/** A file and the lines of it that were picked. */
export function useReadingWords() {
  const { t } = useTranslation("context");
  return ({ path, lines }: Pick<Reading, "path" | "lines">): string => {
    if (lines === null) return path;
    const { first, last } = lines;
    return first === last ? t("reading.line", { path, first }) : t("reading.lines", { path, first, last });
  };
}

export function useBlockWords() {
  const { t } = useTranslation(["context", "memory", "recall"]);
  const { turns, version } = useSummaryWords();
  const fileName = (source: string): string =>
    SKILL.exec(source)?.[1] ?? source.replace(GLOBAL, ` (${t("layers.global", { ns: "memory" })})`);
  /** What a session knows, each piece by its id. */
  const sessionName = (id: string): string | null => {
    const [session, name] = id.split(":");
    const names = ["project", "plan", "task", "decisions", "summary", "dialog"] as const;
    const known = names.find((known) => session === "session" && known === name);
    return known ? t(`session.${known}`) : null;
  };
  const recalledName = (source: string, stands = false): string => {
    const [, title, year, month, day] = RECALLED.exec(source) ?? [];
    if (!day) return source;
    const said = formatDay(new Date(Number(year), Number(month) - 1, Number(day)));
    if (stands) return t("standingName", { day: said });
    return title ? t("recalledName", { title, day: said }) : said;
  };
  const partly = (why: string, cut: unknown): string => (cut ? `${why} · ${t("recalledPart")}` : why);
  /** What shares nothing with the question itself goes with what does: the question before an answer, or the answer. */
  const recalledWhy = ({ rank, worth, by_meaning, cut }: Extract<Reason, { code: "recalled" }>): string => {
    const fits = t(by_meaning ? "why.recalledByMeaning" : "why.recalled", { rank, worth });
    return partly(worth > 0 ? fits : t("recalledBeside", { rank }), cut);
  };
  const pieceName = ({ kind, source, reason, ...piece }: Drawn): string => {
    switch (kind) {
      case "instructions":
        return source === "siltstone" ? t("kind.instructions") : t("kind.own");
      case "tools":
        return t("kind.tools");
      case "persistent_context":
        return piece.id.startsWith(SERVER) ? t("kind.server", { server: source }) : t("kind.persistent_context");
      case "draft":
      case "volatile_context":
        return t(`kind.${kind}`);
      case "plan":
        return sessionName(piece.id) ?? source;
      case "summary": {
        if (reason.code === "resumed") return sessionName(piece.id) ?? source;
        if (reason.code !== "summary") return t("kind.extract");
        const name = piece.turns ? turns(piece.turns) : t("kind.summary");
        return `${name}, ${version(reason.version)}`;
      }
      default:
        if (isRecalled(piece)) {
          const name = recalledName(source, reason.code === "standing");
          return reason.code === "recalled" && reason.otherwise ? t("recalledOtherwiseName", { name }) : name;
        }
        // Added lines are of no file.
        if (reason.code === "memory" && reason.why.code === "added") return t(`layers.${reason.layer}`, { ns: "memory" });
        return fileName(source);
    }
  };
  const injected = (why: InjectedWhy): string => {
    switch (why.code) {
      case "directory":
      case "paths":
        return t(`memoryWhy.${why.named ? "named" : why.code}`, { path: why.path });
      case "headings":
        return t("memoryWhy.headings", { headings: why.headings.join(", ") });
      case "mentioned":
        return t("memoryWhy.mentioned", { word: why.word });
      case "added":
        return t("memoryWhy.added", { count: why.lines });
      case "kept":
        return t(`memoryWhy.kept.${why.kind}`);
      default:
        return t(`memoryWhy.${why.code}`);
    }
  };
  const turnsName = (pieces: readonly Drawn[]): string => {
    const first = pieces[0]?.turns?.first;
    const last = pieces.at(-1)?.turns?.last;
    return first !== undefined && last !== undefined ? turns({ first, last }) : t("turns", { count: pieces.length });
  };
  /** What has no place of its own to be named by. */
  const named = (id: string | null): string | null => {
    if (id === "conversation-instructions") return t("kind.own");
    if (id === "tools") return t("kind.tools");
    if (id === "extract") return t("kind.extract");
    if (id === "context:persistent") return t("kind.persistent_context");
    if (id === "context:volatile") return t("kind.volatile_context");
    if (id?.startsWith("summary:")) return t("kind.summary");
    if (id?.startsWith("session:")) return sessionName(id);
    return id?.startsWith("message:") ? t("turns", { count: 1 }) : null;
  };
  /** A result, by the tool that gave it. */
  const calledName = ({ name, about }: Called): string => (about === "" ? toolName(name) : `${toolName(name)} ${about}`);
  /** What a message is worth, and of what that is made. */
  const worthOf = (worth: Worth) => {
    const points = (tenths: number) => formatNumber(tenths / 10);
    const earned = WORTH.filter((part) => worth[part] > 0);
    const parts = earned.map((part) => t(`worth.${part}`, { points: points(worth[part]) })).join(", ");
    const total = earned.reduce((sum, part) => sum + worth[part], 0);
    return { total: points(total), parts };
  };
  return {
    pieceName,
    calledName,
    /** One piece of several: a message is called by how it begins. */
    pieceTitle: (piece: Piece): string =>
      piece.called ? calledName(piece.called) : piece.kind === "turn" ? startOf(piece) : pieceName(piece),
    /** "2 rule files"; a skill by its name. */
    partName: ({ kind, count, pieces }: LinePart): string =>
      kind === "skills" && count === 1 ? pieceName(pieces[0]!) : t(`line.${kind}`, { count }),
    /** How much of what fits is taken. */
    shareOf: (tokens: number, budget: number): string => {
      const percent = budget === 0 ? 100 : (tokens / budget) * 100;
      return percent > 0 && percent < 1 ? t("line.shareLess") : t("line.share", { n: formatNumber(Math.round(percent)) });
    },
    /** "18.2k of 200k tokens". */
    requestTotal: ({ pieces, tokens, budget }: { pieces: readonly Drawn[]; tokens: number; budget: number }): string =>
      t(isExact(pieces) ? "total" : "totalEstimated", { used: formatTokens(tokens), budget: formatTokens(budget) }),
    blockName: ({ kind, pieces }: Block<Drawn>): string => {
      if (kind === "turn") return turnsName(pieces);
      const first = pieces[0]!;
      if (isRecalled(first) && pieces.length > 1) return t("group", { ns: "recall", count: pieces.length });
      return pieceName(first);
    },
    /** Why passages of earlier messages have the room they have. */
    shareWhy: ({ why, percent }: Shares): string => t(`said.${why}`, { ns: "recall", percent: formatNumber(percent) }),
    why: (reason: Reason): string => {
      switch (reason.code) {
        case "found":
          return t("why.found", { rank: reason.rank });
        case "recalled":
          return recalledWhy(reason);
        case "standing":
          return partly(t("why.standing"), reason.cut);
        case "important":
          return t("why.important", worthOf(reason.worth));
        case "key_sentences":
          return t("why.key_sentences", { count: reason.messages });
        case "shortened":
          return t("why.shortened", { chars: formatNumber(reason.chars) });
        case "memory":
          return t("why.memory", { layer: t(`layers.${reason.layer}`, { ns: "memory" }), why: injected(reason.why) });
        default:
          return t(`why.${reason.code}`);
      }
    },
    leftOutWhy: (item: LeftOut): string => {
      if (item.worth) return t("leftOutWorth", worthOf(item.worth));
      return item.why === "by_you" && isRecalled(item) ? t("rejected") : t(`leftOutWhy.${item.why}`);
    },
    leftOutName: ({ id, source }: LeftOut): string => {
      if (isRecalled({ id })) return recalledName(source);
      const several = SEVERAL.exec(source);
      if (!several) return named(id) ?? fileName(source);
      const count = Number(several[2]);
      return several[1] === "summaries" ? t("summariesLeft", { count }) : t("turns", { count });
    },
  };
}
