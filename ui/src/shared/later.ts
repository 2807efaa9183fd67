// What the first picture does not need: a component that is loaded when it is first shown, together with the words of
// all that comes later.
import { type ComponentType, type LazyExoticComponent, lazy } from "react";
import { laterWords } from "@/shared/i18n";

// A component with properties of any kind; `unknown` would take only those without.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Any = ComponentType<any>;

/** The component that a module exports by this name; to be drawn beneath a `Suspense`. */
export function later<N extends string, M extends Record<N, Any>>(
  load: () => Promise<M>,
  name: N,
): LazyExoticComponent<M[N]> {
  return lazy(async () => {
    const [module] = await Promise.all([load(), laterWords()]);
    return { default: module[name] };
  });
}
