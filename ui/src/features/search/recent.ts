// What was searched for and led somewhere.
import { recents } from "@/shared/recents";

export const { use: useSearches, remember: rememberSearch, forget: forgetSearches } = recents("siltstone.searches", 8);
