// Skills: what the rest of the window needs of them. The dialog itself is loaded when it is opened.
export { isSkillCommand, runSkillCommand, takeListed } from "./acts";
export { useNamed, useSkills, type NamedSkill } from "./named";
export { SkillsEntry } from "./SkillsEntry";
