// Which pieces of what was changed are marked to be taken back. Pure.
import type { ReviewedFile, TakenBackFile } from "@/ipc";

/** Of a file: some of its pieces, or all of it as it was before, with whatever was changed since. */
export type Mark = ReadonlySet<number> | "whole";

export type Marks = ReadonlyMap<string, Mark>;

/** Pieces that stand as the turn left them: these can be taken back alone. */
export function standing({ shown }: ReviewedFile): number[] {
  return shown.is === "pieces" ? shown.standing.flatMap((is, at) => (is === "stands" ? [at] : [])) : [];
}

/** Everything of a file that can be taken back without losing what was changed since; null where nothing can. */
export function allOf(reviewed: ReviewedFile): Mark | null {
  const pieces = standing(reviewed);
  if (pieces.length > 0) return new Set(pieces);
  return reviewed.shown.is !== "pieces" && reviewed.file.standing === "stands" ? "whole" : null;
}

/** How much of a file is marked. */
export function marked(reviewed: ReviewedFile, mark: Mark | undefined): "none" | "some" | "all" {
  if (mark === undefined || (mark !== "whole" && mark.size === 0)) return "none";
  return mark === "whole" || mark.size === standing(reviewed).length ? "all" : "some";
}

/** The request for what is marked. A file that nobody touched since becomes what it was whole, with its permissions. */
export function takenBack(files: readonly ReviewedFile[], marks: Marks): TakenBackFile[] {
  return files.flatMap((reviewed) => {
    const { file, seen } = reviewed;
    const mark = marks.get(file.path);
    if (mark === undefined || (mark !== "whole" && mark.size === 0)) return [];
    const whole = mark === "whole" || (file.standing === "stands" && marked(reviewed, mark) === "all");
    return [{ path: file.path, seen, pieces: whole ? null : [...mark].sort((a, b) => a - b) }];
  });
}
