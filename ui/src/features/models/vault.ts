// The form of the encrypted file, loaded when it is first shown.
import { later } from "@/shared/later";

export const VaultForm = later(() => import("./VaultForm"), "VaultForm");
