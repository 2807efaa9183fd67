// The list at the left: projects, conversations, and the trash behind it.
export { Rail } from "./Rail";
