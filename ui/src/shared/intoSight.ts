// Brings what has just come to the eye that waits for it. At once: nothing glides, whether less motion is wished or not.

/** A `ref` of what came; where it is in sight already, nothing moves. */
export function intoSight(element: Element | null): void {
  element?.scrollIntoView({ block: "nearest" });
}
