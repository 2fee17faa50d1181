// The editors: YAML with line numbers, history, and faults at their lines. Tab leaves an editor, as elsewhere on the page.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, bracketMatching, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { Annotation, EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const SILENT = Annotation.define(); // a text that the page put in, not a person

const STYLE = syntaxHighlighting(
  HighlightStyle.define([
    { tag: [tags.definition(tags.propertyName), tags.propertyName], color: "var(--link)" },
    { tag: [tags.string, tags.special(tags.string)], color: "var(--good)" },
    { tag: [tags.comment, tags.lineComment], color: "var(--faint)" },
    { tag: [tags.separator, tags.punctuation], color: "var(--faint)" },
    { tag: [tags.meta, tags.keyword], color: "var(--mid)" },
  ]),
);

/** Makes an editor inside an element; `name` is its name for screen readers, `onEdit` hears of each edit. */
export function editorIn(parent, { name, describedBy, onEdit }) {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        highlightActiveLine(),
        bracketMatching(),
        indentUnit.of("  "),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        yaml(),
        STYLE,
        lintGutter(),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          "aria-label": name,
          ...(describedBy ? { "aria-describedby": describedBy } : {}),
          spellcheck: "false",
          autocapitalize: "off",
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !update.transactions.some((each) => each.annotation(SILENT))) onEdit();
        }),
      ],
    }),
  });
  return {
    view,
    get text() {
      return view.state.doc.toString();
    },
    set text(text) {
      if (text === this.text) return;
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: text },
        annotations: SILENT.of(true),
      });
    },
    /** Shows faults, each at its line; those without one at the first. */
    faults(faults) {
      const { doc } = view.state;
      const diagnostics = faults.map(({ line, column, text }) => {
        const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
        const from = Math.min(at.from + Math.max(column - 1, 0), at.to);
        return { from: line ? from : at.from, to: at.to, severity: "error", message: text };
      });
      view.dispatch(setDiagnostics(view.state, diagnostics));
    },
  };
}
