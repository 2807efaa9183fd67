// The strings of the first picture by their files, in one piece.
export default import.meta.glob<Record<string, unknown>>("./*.json", { eager: true, import: "default" });
