// All other strings of the language by their files, in one piece.
export default import.meta.glob<Record<string, unknown>>("./*.json", { eager: true, import: "default" });
