// What a person cannot read whole: texts that are wider than their box where nothing scrolls, or that leave the window at a
// side. Handed to WebDriver as the body of a function; gives each as a line. A text that ends in dots is no such one where
// it says all of itself to whoever points at it.
const cut = [];
for (const node of document.querySelectorAll("body *")) {
  // What was said in a conversation is the person's and the model's; what is hidden, nobody reads.
  if (node.closest("svg, [aria-hidden=true], .visually-hidden, [role=log], [inert]")) continue;
  const own = node.matches("input, textarea")
    ? node.placeholder
    : [...node.childNodes].filter((child) => child.nodeType === Node.TEXT_NODE).map(({ data }) => data).join("").trim();
  if (!own || !node.checkVisibility({ visibilityProperty: true })) continue;
  const { display, overflowX, textOverflow } = getComputedStyle(node);
  if (display === "inline" || node.clientWidth === 0) continue;
  // Code and tables are scrolled to their side; a pane that can be is one whose text does not fit.
  if (["auto", "scroll"].includes(overflowX) || node.closest("pre, table")) continue;
  const told = textOverflow === "ellipsis" && node.closest("[title]") !== null;
  if (node.scrollWidth - node.clientWidth > 1 && !told) cut.push(`“${own}” has ${node.clientWidth} of ${node.scrollWidth} pixels`);
  const { left, right } = node.getBoundingClientRect();
  if (left < -1 || right > innerWidth + 1) cut.push(`“${own}” leaves the window`);
}
return [...new Set(cut)];
