// A listed model of the fake, for tests and the demo: what a server leaves unsaid is unknown.
import type { ModelInfo } from "../bindings";

export function listed(id: string, known: Partial<Omit<ModelInfo, "id">> = {}): ModelInfo {
  return { id, context_window: null, takes_images: null, takes_files: null, takes_tools: null, price: null, ...known };
}
