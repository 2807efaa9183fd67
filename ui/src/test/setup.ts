// Test environment: what jsdom lacks and the interface needs, and a cleanup around each test.
import { cleanup, configure, getConfig, prettyDOM } from "@testing-library/react";
import { afterEach, beforeEach, inject } from "vitest";
import { loadLanguage, setLanguage } from "@/shared/i18n";
import { emptyStores } from "./zustand";

declare module "vitest" {
  interface ProvidedContext {
    patience: number;
  }
}

await Promise.all([loadLanguage("en"), loadLanguage("ko")]);

class NoResizeObserver implements ResizeObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
globalThis.ResizeObserver ??= NoResizeObserver;
// A window of 1,280 px: room for both side panes, no preference for less motion or dark.
window.matchMedia ??= (query) =>
  Object.assign(new EventTarget(), {
    matches: query.includes("min-width"),
    media: query,
    onchange: null,
    addListener: () => {},
    removeListener: () => {},
  }) as MediaQueryList;
Element.prototype.scrollIntoView ??= () => {};
Range.prototype.getClientRects ??= () => [] as unknown as DOMRectList;
Range.prototype.getBoundingClientRect ??= () => new DOMRect();
document.execCommand ??= () => false;
Element.prototype.getAnimations ??= () => [];
Element.prototype.scrollTo = function (this: Element, options?: ScrollToOptions | number) {
  if (typeof options === "object" && options.top !== undefined) this.scrollTop = options.top;
};
Element.prototype.scrollBy = function (this: Element, options?: ScrollToOptions | number) {
  if (typeof options === "object" && options.top !== undefined) this.scrollTop += options.top;
};

/** Whether a query is one of those with which `waitFor` looks again and again. */
const waits = () => (getConfig() as unknown as { _disableExpensiveErrorDiagnostics: boolean })._disableExpensiveErrorDiagnostics;

/** While what is looked for may still come, the page is not drawn without it: `waitFor` has that done once, when it never came. */
function getElementError(message: string | null, container: Element): Error {
  const page = waits() && message !== null ? "" : prettyDOM(container);
  const error = new Error([message, page].filter(Boolean).join("\n\n"));
  error.name = "TestingLibraryElementError";
  // It is the test's line that failed.
  Error.captureStackTrace(error, getElementError);
  return error;
}

// What is waited for comes, or never does: a busy machine is no failure.
configure({ asyncUtilTimeout: inject("patience"), getElementError });

beforeEach(() => {
  emptyStores();
  setLanguage("en");
});
afterEach(cleanup);
