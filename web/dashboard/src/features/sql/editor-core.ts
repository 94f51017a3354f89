import {
  acceptCompletion,
  autocompletion,
  closeCompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { PostgreSQL, sql, type SQLNamespace } from '@codemirror/lang-sql'
import { bracketMatching } from '@codemirror/language'
import { Compartment, EditorState, Prec } from '@codemirror/state'
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { errorMark, setError } from '@/components/editor/error-mark'
import { colours, shadowIn, theme } from '@/components/editor/look'
import { replaceSelection } from './replace-selection'

/** Names for completion, as returned by the server. */
export interface Names {
  tables: [schema: string, table: string, columns: string[]][]
  functions: [schema: string, name: string, args: string, result: string][]
}

export interface EditorHandle {
  /** Returns the selected text, or the whole text if nothing is selected. */
  selected: () => { text: string; from: number }
  setText: (text: string) => void
  /** Shows another script. Each script has its own cursor and undo history. */
  show: (id: string, text: string) => void
  /** Discards the states of all scripts except those with the given ids. */
  keep: (ids: readonly string[]) => void
  /** Inserts a name at the cursor, or in place of the selection. */
  insert: (text: string) => void
  /** Marks the position of an error; `undefined` removes the mark. */
  markError: (error: { place: number; message: string } | undefined) => void
  setNames: (names: Names) => void
  /** Moves the cursor to a position, such as that of an error. */
  goTo: (place: number) => void
  focus: () => void
  destroy: () => void
}

/** Tables by schema. A table in `public` can also be completed without its schema. */
function namespace({ tables, functions }: Names): SQLNamespace {
  const schemas: Record<string, Record<string, string[]>> = {}
  const top: Record<string, SQLNamespace> = {}
  for (const [schema, table, columns] of tables) {
    ;(schemas[schema] ??= {})[table] = columns
    if (schema === 'public') top[table] = columns
  }
  const calls = functions.map(([schema, name, args, result]) => ({
    label: schema === 'public' ? name : `${schema}.${name}`,
    type: 'function',
    detail: `(${args}) → ${result}`,
    apply: `${schema === 'public' ? name : `${schema}.${name}`}(`,
  }))
  for (const call of calls) top[call.label] ??= { self: call, children: [] }
  return { ...schemas, ...top }
}

export function createEditor(
  frame: HTMLElement,
  script: { id: string; text: string },
  { onChange, onRun }: { onChange: (text: string) => void; onRun: () => void },
): EditorHandle {
  const language = new Compartment()
  const root = shadowIn(frame)
  const states = new Map<string, EditorState>()
  let [shown, known] = [script.id, sql({ dialect: PostgreSQL })]
  const run = { key: 'Mod-Enter', run: (view: EditorView) => (closeCompletion(view), onRun(), true) }
  const extensions = [
    lineNumbers(),
    history(),
    drawSelection(),
    highlightActiveLine(),
    bracketMatching(),
    closeBrackets(),
    replaceSelection,
    errorMark,
    autocompletion({ icons: false }),
    colours,
    theme,
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': 'SQL', spellcheck: 'false' }),
    Prec.highest(keymap.of([run, { key: 'Tab', run: acceptCompletion }])),
    keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
    language.of(known),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString())
    }),
  ]
  const view = new EditorView({ parent: root, root, state: EditorState.create({ doc: script.text, extensions }) })
  return {
    selected: () => {
      const { from, to } = view.state.selection.main
      return from === to ? { text: view.state.doc.toString(), from: 0 } : { text: view.state.sliceDoc(from, to), from }
    },
    setText: (next) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } }),
    show: (id, text) => {
      if (id === shown) return
      states.set(shown, view.state)
      view.setState(states.get(id) ?? EditorState.create({ doc: text, extensions }))
      shown = id
      view.dispatch({ effects: language.reconfigure(known) })
    },
    keep: (ids) => [...states.keys()].filter((id) => !ids.includes(id)).forEach((id) => states.delete(id)),
    insert: (text) => {
      view.dispatch({ ...view.state.replaceSelection(text), userEvent: 'input.paste', scrollIntoView: true })
      view.focus()
    },
    markError: (error) => view.dispatch({ effects: setError.of(error) }),
    setNames: (names) => {
      known = sql({ dialect: PostgreSQL, schema: namespace(names), defaultSchema: 'public' })
      view.dispatch({ effects: language.reconfigure(known) })
    },
    goTo: (place) => {
      view.dispatch({ selection: { anchor: Math.min(place, view.state.doc.length) }, scrollIntoView: true })
      view.focus()
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  }
}
