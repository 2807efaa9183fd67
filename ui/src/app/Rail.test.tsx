// The rail of a person with many conversations: what is in sight is all there is, one menu serves every row, and each row is
// reached, named anew and thrown away by keys alone.
import { fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { useEffect, type ComponentType } from "react";
import { expect, it, vi } from "vitest";
import { setTransport } from "@/ipc";
import { startHost, type Host } from "@/test/host";
import { button, expectAccessible, gone, startAfresh } from "@/test/journey";
import { App } from "./App";

const mounted = vi.hoisted(() => ({ menus: 0, tips: 0 }));

/** A root that is counted while it is there. */
function counted<P extends object>(Root: ComponentType<P>, what: keyof typeof mounted) {
  return function Counted(props: P) {
    useEffect(() => {
      mounted[what] += 1;
      return () => void (mounted[what] -= 1);
    }, []);
    return <Root {...props} />;
  };
}
vi.mock("@base-ui/react/menu", async (original) => {
  const { Menu } = await original<typeof import("@base-ui/react/menu")>();
  return { Menu: { ...Menu, Root: counted(Menu.Root, "menus") } };
});
vi.mock("@base-ui/react/tooltip", async (original) => {
  const { Tooltip } = await original<typeof import("@base-ui/react/tooltip")>();
  return { Tooltip: { ...Tooltip, Root: counted(Tooltip.Root, "tips") } };
});

startAfresh();

/** A window with this many conversations, the first and the last of which are called so. */
async function start(count: number): Promise<Host> {
  const host = await startHost();
  setTransport(host);
  const create = async (title: string) => {
    const { id } = await host.invoke("conversation_create", { project_id: null });
    return host.invoke("conversation_rename", { id, title });
  };
  await create("The last");
  await Promise.all(Array.from({ length: count - 2 }, (_, n) => create(`One of many, ${n}`)));
  await create("The first");
  render(<App />);
  await button("The first");
  return host;
}

const entry = (name: string) => within(screen.getByRole("navigation")).queryByRole("button", { name });
const press = (key: string) => fireEvent.keyDown(document.activeElement!, { key });
const focused = (name: string) => waitFor(() => expect(document.activeElement).toBe(entry(name)));

it("costs no more with two thousand conversations, and leads to the last one", async () => {
  await start(2000);
  expect(document.querySelectorAll("*").length).toBeLessThanOrEqual(1500);
  // The one of the projects, and the one of all rows.
  expect(mounted).toEqual({ menus: 2, tips: 1 });
  // With the heading of the day.
  const row = entry("The first")!.closest("[role=listitem]")!;
  expect([row.ariaPosInSet, row.ariaSetSize]).toEqual(["2", "2001"]);
  expect(entry("The last")).toBeNull();

  entry("The first")!.focus();
  press("End");
  await focused("The last");
  // Whoever has the focus keeps it, and Tab its way.
  expect(entry("The last")!.closest("[role=listitem]")!.ariaPosInSet).toBe("2001");
  press("Home");
  await focused("The first");
  expect(document.querySelectorAll("*").length).toBeLessThanOrEqual(1500);
  expect(mounted).toEqual({ menus: 2, tips: 1 });
});

it("opens its one menu for the row that it is about, and gives the focus back", async () => {
  const host = await start(3);
  await expectAccessible();
  const more = await button("More for The last");
  expect([more.ariaHasPopup, more.ariaExpanded]).toEqual(["menu", "false"]);
  more.focus();
  fireEvent.click(more);
  await screen.findByRole("menuitem", { name: "Pin" });
  await waitFor(() => expect(more.ariaExpanded).toBe("true"));
  press("Escape");
  await gone(() => screen.queryByRole("menu"));
  await waitFor(() => expect(document.activeElement).toBe(more));

  fireEvent.click(more);
  fireEvent.click(await screen.findByRole("menuitem", { name: "Pin" }));
  await screen.findByRole("heading", { name: "Pinned" });
  fireEvent.contextMenu(entry("The last")!);
  await screen.findByRole("menuitem", { name: "Unpin" });
  press("Escape");
  await gone(() => screen.queryByRole("menu"));
  fireEvent.contextMenu(entry("The first")!);
  fireEvent.click(await screen.findByRole("menuitem", { name: "Delete" }));
  await waitFor(() => expect(entry("The first")).toBeNull());
  expect((await host.invoke("conversation_list", { project_id: null, trashed: true })).map(({ title }) => title)).toEqual(["The first"]);
});

it("names a row anew from the menu and by a key, and goes on from there", async () => {
  await start(3);
  const field = () => screen.findByRole<HTMLInputElement>("textbox", { name: "Title of the conversation" });
  const rename = async (title: string, end: string) => {
    const name = await field();
    await gone(() => screen.queryByRole("menu"));
    // The menu has not taken the focus back with it.
    expect(document.activeElement).toBe(name);
    expect(name.selectionEnd).toBe(name.value.length);
    name.value = title;
    press(end);
  };
  fireEvent.click(await button("More for The last"));
  fireEvent.click(await screen.findByRole("menuitem", { name: /^Rename/ }));
  await rename("Not the first", "Enter");
  await focused("Not the first");
  press("F2");
  await rename("Thrown away", "Escape");
  await focused("Not the first");
  press("ArrowUp");
  await waitFor(() => expect(document.activeElement).not.toBe(entry("Not the first")));
  press("ArrowDown");
  await focused("Not the first");
  press("Delete");
  await waitFor(() => expect(entry("Not the first")).toBeNull());
});

it("says what a button is, in the one tooltip", async () => {
  await start(2);
  for (const name of ["More for The first", "More for The last"]) {
    (await button(name)).focus();
    await screen.findByText(name);
  }
  await gone(() => screen.queryByText("More for The first"));
});

it("is as wide as the person makes it, by drag or key, and stays so", async () => {
  await start(3);
  const line = () => screen.getByRole("separator", { name: "Width of the list" });
  const width = () => Number(line().ariaValueNow);
  const shown = () => document.querySelector<HTMLElement>("nav")!.parentElement!.style.getPropertyValue("--rail");
  expect(width()).toBe(248);
  fireEvent.keyDown(line(), { key: "ArrowRight" });
  await waitFor(() => expect(width()).toBe(264));
  expect(shown()).toBe("264px");
  line().setPointerCapture = () => {};
  fireEvent.pointerDown(line(), { clientX: 264, button: 0 });
  fireEvent.pointerMove(line(), { clientX: 310 });
  fireEvent.pointerUp(line());
  fireEvent.pointerMove(line(), { clientX: 400 });
  await waitFor(() => expect(width()).toBe(310));
  expect(JSON.parse(localStorage.getItem("siltstone.place")!)).toMatchObject({ state: { widths: { rail: 310 } } });
  fireEvent.keyDown(line(), { key: "Home" });
  await waitFor(() => expect(width()).toBe(200));
  fireEvent.doubleClick(line());
  await waitFor(() => expect(width()).toBe(248));
  await expectAccessible();
});
