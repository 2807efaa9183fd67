// The composer as a person uses it: send, queue, stop, newline, recall, and Hangul in the field.
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import axe from "axe-core";
import { createRef } from "react";
import { describe, expect, it, vi } from "vitest";
import type { NamedSkill } from "@/features/skills";
import { Composer, type ComposerHandle, type ComposerProps } from "./Composer";

function setup(props: Partial<ComposerProps> = {}) {
  const ref = createRef<ComposerHandle>();
  const acts = { onSend: vi.fn(), onStop: vi.fn(), onEditLast: vi.fn() };
  const view = render(<Composer ref={ref} {...acts} {...props} />);
  const field = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
  const type = (text: string) => fireEvent.input(field, { target: { value: text } });
  return { ref, field, type, view, ...acts };
}

const nextTask = () => act(() => new Promise((done) => setTimeout(done, 0)));

describe("Composer", () => {
  it("sends with Enter, once, and empties itself", () => {
    const { field, type, onSend } = setup();
    type("  hello ");
    fireEvent.keyDown(field, { key: "Enter", keyCode: 13 });
    fireEvent.keyDown(field, { key: "Enter", keyCode: 13 });
    expect(onSend.mock.calls).toEqual([["hello"]]);
    expect(field.value).toBe("");
  });

  it("leaves Shift+Enter to the field and never sends nothing", () => {
    const { field, type, onSend } = setup();
    fireEvent.keyDown(field, { key: "Enter", keyCode: 13 });
    type("a");
    expect(fireEvent.keyDown(field, { key: "Enter", keyCode: 13, shiftKey: true })).toBe(true);
    expect(onSend).not.toHaveBeenCalled();
  });

  it("sends the committed syllable with the Enter that commits it", async () => {
    const { field, type, onSend } = setup();
    fireEvent.compositionStart(field);
    type("안녕하세");
    fireEvent.compositionUpdate(field, { data: "요" });
    expect(fireEvent.keyDown(field, { key: "Enter", keyCode: 229, isComposing: true })).toBe(true);
    type("안녕하세요");
    fireEvent.compositionEnd(field, { data: "요" });
    expect(onSend).not.toHaveBeenCalled();
    const newline = new InputEvent("beforeinput", { inputType: "insertLineBreak", cancelable: true });
    field.dispatchEvent(newline);
    expect(newline.defaultPrevented).toBe(true);
    await nextTask();
    fireEvent.keyDown(field, { key: "Enter", keyCode: 13 });
    expect(onSend.mock.calls).toEqual([["안녕하세요"]]);
  });

  it("stops with Escape or the button, and queues what is sent meanwhile", () => {
    const { field, type, view, onSend, onStop, onEditLast } = setup({ answering: true });
    expect(screen.queryByRole("button", { name: "Queue" })).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Stop" }));
    fireEvent.keyDown(field, { key: "Escape", keyCode: 27 });
    expect(onStop).toHaveBeenCalledTimes(2);
    type("and then?");
    fireEvent.click(screen.getByRole("button", { name: "Queue" }));
    expect(onSend.mock.calls).toEqual([["and then?"]]);
    view.rerender(<Composer answering queued={2} {...{ onSend, onStop, onEditLast }} />);
    expect(screen.getByText("2 messages waiting")).toBeTruthy();
  });

  it("does not stop the answer with the Escape of an input method", () => {
    const { field, onStop } = setup({ answering: true });
    fireEvent.keyDown(field, { key: "Escape", keyCode: 229, isComposing: true });
    expect(onStop).not.toHaveBeenCalled();
  });

  it("recalls the last message with Up only when empty", () => {
    const { field, type, onEditLast } = setup();
    fireEvent.keyDown(field, { key: "ArrowUp" });
    type("x");
    fireEvent.keyDown(field, { key: "ArrowUp" });
    expect(onEditLast).toHaveBeenCalledTimes(1);
  });

  it("keeps the text when sending is refused, and says what is missing", () => {
    const onSend = vi.fn(() => false);
    const { ref, field } = setup({ sendLabel: "Connect a model", onSend });
    act(() => ref.current!.setText("draft"));
    fireEvent.click(screen.getByRole("button", { name: "Connect a model" }));
    expect(onSend.mock.calls).toEqual([["draft"]]);
    expect(field.value).toBe("draft");
  });

  describe("offering files", () => {
    const files = ["src/auth.rs", "src/auth test.rs", "docs/운영.md"].map((path) => ({ path, size: 10 }));
    const findPaths = vi.fn((query: string) => Promise.resolve(files.filter(({ path }) => path.includes(query))));
    const offered = async (count: number) =>
      waitFor(() => expect(screen.getAllByRole("option")).toHaveLength(count));
    const active = () => screen.getByRole("option", { selected: true }).textContent;

    it("follows the keys, quotes a name with spaces, and leaves the rest of the text alone", async () => {
      const { field, type, onSend, onStop } = setup({ findPaths, answering: true });
      type("see @au");
      await offered(2);
      expect(findPaths.mock.calls).toEqual([["au"]]);
      expect(active()).toContain("auth.rs");
      expect(field.getAttribute("aria-activedescendant")).toBe(screen.getByRole("option", { selected: true }).id);
      fireEvent.keyDown(field, { key: "ArrowDown" });
      expect(active()).toContain("auth test.rs");
      expect(fireEvent.keyDown(field, { key: "Tab" })).toBe(false);
      expect(field.value).toBe('see @"src/auth test.rs" ');
      expect(screen.queryByRole("listbox")).toBeNull();

      fireEvent.input(field, { target: { value: "@auth, and more" } });
      field.setSelectionRange(3, 3);
      fireEvent.select(field);
      await offered(2);
      fireEvent.keyDown(field, { key: "Enter", keyCode: 13 });
      fireEvent.keyUp(field, { key: "Enter" });
      expect(field.value).toBe("@src/auth.rs, and more");
      expect(onSend).not.toHaveBeenCalled();
      // Closed for this mention, and the answer goes on.
      type("@");
      type("@auth");
      await offered(2);
      fireEvent.keyDown(field, { key: "Escape", keyCode: 27 });
      type("@auth.");
      await new Promise((rest) => setTimeout(rest, 150));
      expect(screen.queryByRole("listbox")).toBeNull();
      expect(onStop).not.toHaveBeenCalled();
      fireEvent.keyDown(field, { key: "Enter", keyCode: 13 });
      expect(onSend.mock.calls).toEqual([["@auth."]]);
    });

    it("picks with the Enter that commits a syllable", async () => {
      const { field, type, onSend } = setup({ findPaths });
      fireEvent.compositionStart(field);
      type("@운여");
      fireEvent.compositionUpdate(field, { data: "여" });
      type("@운영");
      fireEvent.compositionUpdate(field, { data: "영" });
      await offered(1);
      fireEvent.keyDown(field, { key: "ArrowDown", keyCode: 229, isComposing: true });
      fireEvent.keyDown(field, { key: "Enter", keyCode: 229, isComposing: true });
      expect(field.value).toBe("@운영");
      fireEvent.compositionEnd(field, { data: "영" });
      await nextTask();
      fireEvent.keyDown(field, { key: "Enter", keyCode: 13 });
      expect(field.value).toBe("@docs/운영.md ");
      expect(onSend).not.toHaveBeenCalled();
      const rules = { "color-contrast": { enabled: false }, region: { enabled: false } };
      const { violations } = await axe.run(document.body, { rules });
      expect(violations.map((v) => v.id)).toEqual([]);
    });

    it("takes a click, and nothing for a name that is no file", async () => {
      const { field, type, onSend } = setup({ findPaths });
      type("@운");
      await offered(1);
      fireEvent.click(screen.getByRole("option"));
      expect(field.value).toBe("@docs/운영.md ");
      type("ada@example");
      type("@nobody");
      await new Promise((rest) => setTimeout(rest, 150));
      expect(findPaths).not.toHaveBeenCalledWith("example");
      expect(screen.queryByRole("listbox")).toBeNull();
      fireEvent.keyDown(field, { key: "Enter", keyCode: 13 });
      expect(onSend.mock.calls).toEqual([["@nobody"]]);
    });
  });

  describe("offering commands", () => {
    const command = (name: string, hint = "") => ({ name, about: `Does ${name}`, hint });
    const commands = {
      agent: "Claude Code",
      commands: [command("review-pr", "a number"), command("review", "a path"), command("init"), command("plan"), { ...command("tidy"), about: "<b>Tidies</b>" }],
    };
    const shown = () => screen.queryAllByRole("option").map(({ textContent }) => textContent);
    const enter = (field: HTMLElement) => {
      fireEvent.keyDown(field, { key: "Enter", keyCode: 13 });
      fireEvent.keyUp(field, { key: "Enter" });
    };

    it("lists an agent's behind ours, in its name and as plain text", async () => {
      const { field, type } = setup({ commands });
      const scrolled = vi.spyOn(Element.prototype, "scrollIntoView");
      type("/");
      expect(shown()).toHaveLength(16);
      expect(shown().slice(-5)).toEqual([
        "/decide Write a decision down",
        "/review-pra numberDoes review-prClaude Code",
        "/reviewa pathDoes reviewClaude Code",
        "/initDoes initClaude Code",
        "/tidy<b>Tidies</b>Claude Code",
      ]);
      fireEvent.keyDown(field, { key: "ArrowUp" });
      const active = screen.getByRole("option", { selected: true });
      expect(active.textContent).toMatch(/^\/tidy/);
      expect(scrolled.mock.contexts.at(-1)).toBe(active);
      const rules = { "color-contrast": { enabled: false }, region: { enabled: false } };
      const { violations } = await axe.run(document.body, { rules });
      expect(violations.map((v) => v.id)).toEqual([]);
      // What ours begin with is taken for ours, so nobody else's is offered by it.
      type("/plan");
      expect(shown().map((text) => text.slice(0, 10))).toEqual(["/plan add ", "/plan swit"]);
      type("/review it");
      expect(shown()).toEqual([]);
      type("see /review");
      expect(shown()).toEqual([]);
    });

    it("writes what is picked, and sends what stands there whole", () => {
      const { field, type, onSend } = setup({ commands });
      type("/re");
      fireEvent.keyDown(field, { key: "Tab" });
      expect(field.value).toBe("/review-pr ");
      // What is written whole comes before what only begins so.
      type("/review");
      expect(screen.getByRole("option", { selected: true }).textContent).toMatch(/^\/reviewa path/);
      enter(field);
      expect(field.value).toBe("/review ");
      type("/review src");
      enter(field);
      type("/in");
      enter(field);
      expect(field.value).toBe("/init");
      enter(field);
      // A space behind it is no reason to pick it again.
      type("/init ");
      expect(shown()).toHaveLength(1);
      enter(field);
      expect(onSend.mock.calls).toEqual([["/review src"], ["/init"], ["/init"]]);
    });

    it("lists skills behind their command, also those that come while it is written", () => {
      const skill = (by: string) => ({ by, name: by, id: by, description: `Does ${by}`, tokens: 1200 }) as NamedSkill;
      const { field, type, onSend, onStop, onEditLast, view } = setup({ commands });
      field.focus();
      type("/sk");
      fireEvent.keyDown(field, { key: "Tab" });
      expect(field.value).toBe("/skill ");
      view.rerender(<Composer {...{ onSend, onStop, onEditLast }} commands={{ ...commands, skills: [skill("pdf-forms"), skill("pdf"), skill("보고서")] }} />);
      expect(shown()).toEqual(["/skill pdf-formsDoes pdf-forms1.2k tokens", "/skill pdfDoes pdf1.2k tokens", "/skill 보고서Does 보고서1.2k tokens"]);
      type("/skill ㅂㄱ");
      expect(shown()).toHaveLength(1);
      // The one that is called just so goes before those that only begin so.
      type("/skill pdf");
      expect(screen.getByRole("option", { selected: true }).textContent).toMatch(/^\/skill pdfDoes/);
      enter(field);
      expect(onSend.mock.calls).toEqual([["/skill pdf"]]);
      type("/skill nothing");
      expect(shown()).toEqual([]);
    });
  });

  it("has no accessibility faults", async () => {
    const { view } = setup({ answering: true, queued: 1, initialText: "x" });
    const { violations } = await axe.run(view.container, { rules: { "color-contrast": { enabled: false } } });
    expect(violations.map((v) => v.id)).toEqual([]);
  });
});
