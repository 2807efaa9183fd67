// Test environment: what jsdom lacks and the interface needs, and a cleanup around each test.
import { cleanup, configure } from "@testing-library/react";
import { afterEach, beforeEach } from "vitest";
import { loadLanguage, setLanguage } from "@/shared/i18n";

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

// What is waited for comes, or never does: a busy machine is no failure.
configure({ asyncUtilTimeout: 30_000 });

beforeEach(() => setLanguage("en"));
afterEach(cleanup);
