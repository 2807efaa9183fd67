// The kit together: names, focus and live regions as assistive technology meets them.
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import axe from "axe-core";
import { useState } from "react";
import { describe, expect, it, vi } from "vitest";
import {
  announce, Button, Dialog, EmptyState, IconButton, Kbd, Menu, Notice, Progress, Select, Spinner,
  StatusRegion, Switch, Tabs, TextField, toast, Toasts, useCovered,
} from ".";

function Everything() {
  const [name, setName] = useState("");
  const [model, setModel] = useState("offline");
  const [on, setOn] = useState(false);
  const [tab, setTab] = useState("request");
  return (
    <main>
      <Button variant="primary">Open</Button>
      <IconButton label="Search" icon={<span aria-hidden>s</span>} />
      <TextField label="Name" value={name} onChange={setName} error={name === "" && "Needed"} />
      <Select
        label="Model"
        value={model}
        onChange={setModel}
        options={[{ value: "offline", label: "Offline" }, { value: "gemma", label: "Gemma" }]}
      />
      <Switch label="Local only" description="Nothing leaves" checked={on} onChange={setOn} />
      <Tabs
        label="Context"
        value={tab}
        onChange={setTab}
        tabs={[
          { value: "request", label: "Request", content: <p>What is sent</p> },
          { value: "folds", label: "Folds", content: <p>None yet</p> },
        ]}
      />
      <Notice tone="danger" title="No connection">Check it</Notice>
      <Progress label="Reading" value={0.25} detail="25 of 100" />
      <Spinner />
      <EmptyState title="Nothing here"><Kbd keys="Mod+K" /></EmptyState>
    </main>
  );
}

const faults = async (root: Element) =>
  (await axe.run(root, { rules: { "color-contrast": { enabled: false }, region: { enabled: false } } }))
    .violations.map((v) => [v.id, v.nodes.map((n) => n.html)]);

describe("kit", () => {
  it("has no accessibility faults and its controls work", async () => {
    const { container } = render(<Everything />);
    expect(await faults(container)).toEqual([]);
    fireEvent.change(screen.getByRole("textbox", { name: "Name" }), { target: { value: "x" } });
    expect(screen.queryByText("Needed")).toBeNull();
    fireEvent.click(screen.getByRole("switch", { name: "Local only" }));
    expect(screen.getByRole("switch", { checked: true })).toBeTruthy();
    fireEvent.click(screen.getByRole("tab", { name: "Folds" }));
    expect(screen.getByText("None yet")).toBeTruthy();
    expect(screen.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("25");
  });

  it("covers the page while it is open, so that nothing late takes the focus; Escape gives it back", async () => {
    function Opener() {
      const [open, setOpen] = useState(false);
      return (
        <>
          <main inert={useCovered()}>
            <button onClick={() => setOpen(true)}>opener</button>
          </main>
          <Dialog open={open} onClose={() => setOpen(false)} title="Open this link?" footer={<Button>Open</Button>}>
            https://example.com
          </Dialog>
        </>
      );
    }
    render(<Opener />);
    const opener = screen.getByText("opener");
    opener.focus();
    fireEvent.click(opener);
    const dialog = await screen.findByRole("dialog", { name: "Open this link?" });
    await waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true));
    expect(opener.closest("[inert]")).not.toBeNull();
    expect(await faults(document.body)).toEqual([]);
    fireEvent.keyDown(document.activeElement!, { key: "Escape" });
    expect(opener.closest("[inert]")).toBeNull();
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await waitFor(() => expect(document.activeElement).toBe(opener));
  });

  it("lists a disabled act with its reason and runs the others", async () => {
    const run = vi.fn();
    render(
      <Menu
        trigger={<Button>More</Button>}
        items={[
          { id: "a", label: "Rename", onSelect: run },
          "separator",
          { id: "b", label: "Export", disabledReason: "Nothing to export", onSelect: run },
        ]}
      />,
    );
    fireEvent.click(screen.getByRole("button", { name: "More" }));
    const blocked = await screen.findByRole("menuitem", { name: /Export.*Nothing to export/ });
    fireEvent.click(blocked);
    expect(run).not.toHaveBeenCalled();
    fireEvent.click(screen.getByRole("menuitem", { name: "Rename" }));
    expect(run).toHaveBeenCalledTimes(1);
  });

  it("announces, and a toast's act runs once", async () => {
    render(<><StatusRegion /><Toasts /></>);
    act(() => announce("done"));
    expect(screen.getByText("done").closest("[role=status]")?.getAttribute("aria-live")).toBe("polite");
    const run = vi.fn();
    act(() => toast({ text: "Deleted", action: { label: "Undo", run } }));
    fireEvent.click(await screen.findByRole("button", { name: "Undo" }));
    expect(run).toHaveBeenCalledTimes(1);
  });

  it("says news of one kind in one place, and keeps every way back", async () => {
    render(<Toasts />);
    const told = () => screen.getAllByRole("dialog").map((one) => one.textContent);
    act(() => toast({ text: "A backup was made" }));
    await screen.findByText("A backup was made");
    // A screen reader finds what closes it, whether or not the pointer is there.
    screen.getByRole("button", { name: "Close" });
    const [shown] = screen.getAllByRole("dialog");
    act(() => toast({ text: "The plan was changed" }));
    await screen.findByText("The plan was changed");
    expect(told()).toEqual(["The plan was changed"]);
    expect(screen.getAllByRole("dialog")).toEqual([shown]);
    // A warning that is said twice is one; a way back is not taken away by the next one.
    for (const time of [1, 2]) act(() => toast({ text: "No such folder", tone: "warn", timeout: time * 10_000 }));
    for (const rule of ["One", "Two"]) act(() => toast({ text: `${rule} was revoked`, action: { label: "Undo", run: () => {} } }));
    await screen.findByText("Two was revoked");
    expect(told()).toHaveLength(4);
    // Unless it is said to be of a kind.
    for (const title of ["One", "Two"]) {
      act(() => toast({ kind: "deleted", text: `${title} was deleted`, action: { label: "Undo", run: () => {} } }));
    }
    await screen.findByText("Two was deleted");
    expect(screen.queryAllByText("One was deleted")).toEqual([]);
  });
});
