// The text of a memory file in CodeMirror. It stands in a shadow root of its own: there CodeMirror uses constructed
// style sheets, where in the page it would add <style> elements, which the CSP refuses.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { markdown } from "@codemirror/lang-markdown";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { Annotation, Compartment, EditorState, type Extension } from "@codemirror/state";
import { Decoration, drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers, type DecorationSet } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";
import type { Finding } from "@/ipc";
import css from "./memory.module.css";
import { useFindingWords } from "./words";

export interface EditorProps {
  label: string;
  text: string;
  readOnly: boolean;
  /** Underlined where they are; they are of the text as it was first given. */
  findings?: readonly Finding[];
  /** A line to show and to put the caret at. */
  at?: { line: number; nonce: number } | null;
  onChange: (text: string) => void;
}

/** A change that came from outside and is told to nobody. */
const given = Annotation.define<boolean>();

const theme = EditorView.theme({
  "&": { height: "100%", fontSize: "var(--text-m)", color: "var(--ink)", backgroundColor: "var(--surface)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "1.6" },
  ".cm-content": { caretColor: "var(--accent)", padding: "var(--s3) 0", wordBreak: "keep-all", overflowWrap: "anywhere" },
  ".cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--muted)", border: "0" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 var(--s2) 0 var(--s3)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--selection)",
  },
  ".cm-specialChar": { color: "var(--danger)" },
  ".cm-finding": { textDecoration: "underline wavy var(--warn)", textUnderlineOffset: "3px" },
});

const colours = HighlightStyle.define([
  { tag: tags.heading, fontWeight: "600" },
  { tag: tags.strong, fontWeight: "600" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.monospace, color: "var(--code-string)" },
  { tag: [tags.link, tags.url], color: "var(--code-title)" },
  { tag: [tags.processingInstruction, tags.quote, tags.comment], color: "var(--muted)" },
]);

export function Editor({ label, text, readOnly, findings, at, onChange }: EditorProps) {
  const words = useFindingWords();
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const told = useRef(onChange);
  useEffect(() => {
    told.current = onChange;
  });
  const settings = useRef(new Compartment());
  const marks = useRef(new Compartment());

  useEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: "open" });
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: text,
        extensions: [
          theme,
          lineNumbers(),
          highlightSpecialChars(),
          drawSelection(),
          EditorView.lineWrapping,
          history(),
          markdown(),
          syntaxHighlighting(colours),
          keymap.of([...historyKeymap, ...defaultKeymap]),
          settings.current.of([]),
          marks.current.of([]),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged || update.transactions.some((it) => it.annotation(given))) return;
            told.current(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = made;
    return () => {
      made.destroy();
      view.current = null;
    };
    // Another text is put in below, so that the caret and what can be undone stay.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);

  useEffect(() => {
    const { state } = view.current!;
    if (state.doc.toString() === text) return;
    view.current!.dispatch({
      changes: { from: 0, to: state.doc.length, insert: text },
      annotations: given.of(true),
    });
  }, [text]);

  useEffect(() => {
    const now: Extension = [
      EditorView.contentAttributes.of({ "aria-label": label }),
      EditorState.readOnly.of(readOnly),
    ];
    view.current!.dispatch({ effects: settings.current.reconfigure(now) });
  }, [label, readOnly]);

  useEffect(() => {
    const { state } = view.current!;
    const set = Decoration.set(
      (findings ?? []).flatMap(({ line, column, kind, excerpt }) => {
        if (line > state.doc.lines) return [];
        const { from, to, text } = state.doc.line(line);
        const start = Math.min(from + column - 1, to);
        const end = kind.code === "secret" ? start + (/^\S*/.exec(text.slice(start - from))?.[0].length ?? 0) : start + excerpt.length;
        const until = Math.min(Math.max(end, start), to);
        if (until === start) return [];
        return [Decoration.mark({ class: "cm-finding", attributes: { title: words(kind) } }).range(start, until)];
      }),
      true,
    );
    const mapped = EditorView.decorations.compute([], (): DecorationSet => set);
    view.current!.dispatch({ effects: marks.current.reconfigure(set.size === 0 ? [] : mapped) });
  }, [findings, words]);

  useEffect(() => {
    if (!at) return;
    const { doc } = view.current!.state;
    const { from } = doc.line(Math.min(Math.max(at.line, 1), doc.lines));
    view.current!.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
    view.current!.focus();
  }, [at]);

  return <div ref={host} className={css.editor} data-editor />;
}
