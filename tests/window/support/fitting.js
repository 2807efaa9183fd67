// What a person cannot read whole: texts that are wider than their box where nothing scrolls, or that leave the window at a
// side. Handed to WebDriver as the body of an asynchronous function; gives each as a line. A text that ends in dots is no
// such one where it says all of itself to whoever points at it, by its title or by a hint.
const done = arguments[arguments.length - 1];

// Which hints said all of a text: each is looked for once in a page.
const told = (window.hintsThatTold ??= new Set());
const hints = async (node, text) => {
  if (told.has(text)) return true;
  const point = (...names) =>
    names.forEach((name) => {
      const bubbles = !name.endsWith("enter") && !name.endsWith("leave");
      node.dispatchEvent(new PointerEvent(name, { bubbles, pointerType: "mouse" }));
    });
  point("pointerover", "pointerenter", "mouseover", "mouseenter", "mousemove");
  const root = node.closest("body > *");
  // A busy machine takes its time; a hint that never comes is waited for in vain.
  const until = performance.now() + 60_000;
  const said = () => [...document.body.children].some((one) => one !== root && one.textContent.includes(text));
  while (!said() && performance.now() < until) await new Promise(requestAnimationFrame);
  if (said()) told.add(text);
  point("pointerout", "pointerleave", "mouseout", "mouseleave");
  return told.has(text);
};

const look = async () => {
  const cut = [];
  for (const node of document.querySelectorAll("body *")) {
    // What was said in a conversation is the person's and the model's; what is hidden, nobody reads.
    if (node.closest("svg, [aria-hidden=true], .visually-hidden, [role=log], [inert]")) continue;
    const own = node.matches("input, textarea")
      ? node.placeholder
      : [...node.childNodes].filter((child) => child.nodeType === Node.TEXT_NODE).map(({ data }) => data).join("").trim();
    if (!own || !node.checkVisibility({ visibilityProperty: true })) continue;
    const { clipPath, display, overflowX, textOverflow } = getComputedStyle(node);
    // Inset by half of itself, nothing is left to be seen: that is how words for screen readers are hidden, in progress too.
    if (clipPath === "inset(50%)" || display === "inline" || node.clientWidth === 0) continue;
    // Code and tables are scrolled to their side; a pane that can be is one whose text does not fit.
    if (["auto", "scroll"].includes(overflowX) || node.closest("pre, table")) continue;
    const { clientWidth, scrollWidth } = node;
    const dots = textOverflow === "ellipsis" && (node.closest("[title]") !== null || (scrollWidth - clientWidth > 1 && (await hints(node, own))));
    if (scrollWidth - clientWidth > 1 && !dots) cut.push(`“${own}” has ${clientWidth} of ${scrollWidth} pixels`);
    const { left, right } = node.getBoundingClientRect();
    if (left < -1 || right > innerWidth + 1) cut.push(`“${own}” leaves the window`);
  }
  return [...new Set(cut)];
};
look().then(done, (error) => done([`it failed: ${error}`]));
