// What was chosen in the palette, by the ids of its entries.
import { recents } from "@/shared/recents";

export const { use: useChosen, remember: rememberChosen } = recents("siltstone.chosen", 6);
