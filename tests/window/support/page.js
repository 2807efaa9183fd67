// Finds what a person sees by role and accessible name. Handed to WebDriver as the body of a function:
// arguments are role, name (null for any), whether the name is a pattern, and the element to look in (null for all).
// Gives each with its name.
const [role, name, pattern, within] = arguments;

const implied = {
  A: (node) => (node.hasAttribute("href") ? "link" : ""),
  ARTICLE: () => "article", ASIDE: () => "complementary", BUTTON: () => "button",
  DT: () => "term", DIALOG: () => "dialog", FORM: () => "form", H1: () => "heading", H2: () => "heading",
  H3: () => "heading", H4: () => "heading", HEADER: () => "banner", IMG: () => "img", LI: () => "listitem",
  MAIN: () => "main", NAV: () => "navigation", OL: () => "list", OPTION: () => "option",
  SECTION: () => "region", SELECT: () => "combobox", SUMMARY: () => "button", TABLE: () => "table",
  TEXTAREA: () => "textbox", UL: () => "list",
  INPUT: (node) =>
    ({ checkbox: "checkbox", radio: "radio", search: "searchbox", range: "slider", button: "button",
       submit: "button", number: "spinbutton" })[node.type] ?? "textbox",
};
const roleOf = (node) => node.getAttribute("role") ?? implied[node.tagName]?.(node) ?? "";

const squeeze = (text) => text.replace(/\s+/g, " ").trim();
const contents = (node) => {
  if (node.nodeType === Node.TEXT_NODE) return node.data;
  if (node.nodeType !== Node.ELEMENT_NODE || node.hidden || node.getAttribute("aria-hidden") === "true") return "";
  return node.getAttribute("aria-label") ?? node.alt ?? [...node.childNodes].map(contents).join(" ");
};
const nameOf = (node) => {
  const by = node.getAttribute("aria-labelledby");
  if (by) return squeeze(by.split(/\s+/).map((id) => document.getElementById(id)?.textContent ?? "").join(" "));
  const own = node.getAttribute("aria-label");
  if (own) return squeeze(own);
  if (node.labels?.length) return squeeze([...node.labels].map((label) => label.textContent).join(" "));
  const said = /^(TEXTAREA|INPUT|SELECT)$/.test(node.tagName) ? "" : squeeze(contents(node));
  return said || squeeze(node.getAttribute("title") ?? node.getAttribute("placeholder") ?? "");
};

const shown = (node) =>
  node.checkVisibility({ visibilityProperty: true }) &&
  !node.closest("[inert]") &&
  !node.closest("[aria-hidden=true]");
const fits = (node) =>
  name === null || (pattern ? new RegExp(name, "u").test(nameOf(node)) : nameOf(node) === squeeze(name));

return [...(within ?? document).querySelectorAll("*")]
  .filter((node) => roleOf(node) === role && fits(node) && shown(node))
  .map((node) => [node, nameOf(node)]);
