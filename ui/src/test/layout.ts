// jsdom lays nothing out. For tests of windowed lists: every element gets a height by `heightOf`,
// told through ResizeObserver as a browser would, and scrolling elements keep their position.
import { vi } from "vitest";

export function fakeLayout(heightOf: (element: Element) => number, viewport: number): () => void {
  const undo: (() => void)[] = [];
  const define = (
    name: string,
    get: (this: HTMLElement) => unknown,
    set?: (this: HTMLElement, value: number) => void,
  ) => {
    const before = Object.getOwnPropertyDescriptor(HTMLElement.prototype, name);
    Object.defineProperty(HTMLElement.prototype, name, { configurable: true, get, set });
    undo.push(() => {
      if (before) Object.defineProperty(HTMLElement.prototype, name, before);
      else Reflect.deleteProperty(HTMLElement.prototype, name);
    });
  };
  const isScroller = (element: Element) => element.matches("[role=log], [role=list], [role=listbox][data-in-page]");
  define("offsetParent", () => document.body);
  define("clientHeight", function () {
    return isScroller(this) ? viewport : heightOf(this);
  });
  define("scrollHeight", function () {
    return isScroller(this) ? parseFloat((this.firstElementChild as HTMLElement).style.height) || 0 : 0;
  });
  const tops = new WeakMap<Element, number>();
  const most = (element: HTMLElement) => Math.max(0, element.scrollHeight - element.clientHeight);
  define(
    "scrollTop",
    function () {
      return Math.min(tops.get(this) ?? 0, most(this));
    },
    function (value) {
      const before = this.scrollTop;
      tops.set(this, Math.max(0, Math.min(value, most(this))));
      if (this.scrollTop !== before) setTimeout(() => this.dispatchEvent(new Event("scroll")), 0);
    },
  );
  class LaidOut implements ResizeObserver {
    constructor(private readonly callback: ResizeObserverCallback) {}
    observe(target: Element): void {
      queueMicrotask(() => {
        const height = isScroller(target) ? viewport : heightOf(target);
        const entry = { target, contentRect: { width: 720, height } as DOMRectReadOnly };
        this.callback([entry as ResizeObserverEntry], this);
      });
    }
    unobserve(): void {}
    disconnect(): void {}
  }
  vi.stubGlobal("ResizeObserver", LaidOut);
  // The window behind the document is another object than the test's global one.
  const view = document.defaultView!;
  const before = view.ResizeObserver;
  view.ResizeObserver = LaidOut;
  undo.push(() => {
    vi.unstubAllGlobals();
    view.ResizeObserver = before;
  });
  return () => undo.forEach((restore) => restore());
}
