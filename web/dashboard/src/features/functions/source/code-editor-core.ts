import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { PostgreSQL, sql } from '@codemirror/lang-sql'
import { bracketMatching, indentUnit } from '@codemirror/language'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { errorMark, setError } from '@/components/editor/error-mark'
import { colours, shadowIn, theme } from '@/components/editor/look'
import { scriptLanguage } from './script-language'

export interface CodeHandle {
  /** Shows a file. If the file was shown before, its cursor and undo history are restored. */
  show: (path: string, text: string) => void
  setReadOnly: (isReadOnly: boolean) => void
  /** Discards the states of all files except the shown one. */
  forget: () => void
  /** Marks an error and moves the cursor there. */
  goToError: (place: number, message: string) => void
  destroy: () => void
}

const languageOf = (path: string): Extension =>
  scriptLanguage(path) ?? (path.endsWith('.sql') ? sql({ dialect: PostgreSQL }) : [])

export function createCodeEditor(
  frame: HTMLElement,
  file: { path: string; text: string },
  { isReadOnly, onChange }: { isReadOnly: boolean; onChange: (path: string, text: string) => void },
): CodeHandle {
  const root = shadowIn(frame)
  const states = new Map<string, EditorState>()
  const readOnly = new Compartment()
  let [shown, may] = [file.path, !isReadOnly]
  const lock = () => [EditorState.readOnly.of(!may), EditorView.contentAttributes.of({ 'aria-readonly': String(!may) })]
  const stateOf = (path: string, text: string) =>
    EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        highlightActiveLine(),
        bracketMatching(),
        closeBrackets(),
        indentUnit.of('  '),
        errorMark,
        colours,
        theme,
        EditorView.lineWrapping,
        // The tabindex makes it possible to scroll a long read-only file with the keyboard.
        EditorView.contentAttributes.of({ 'aria-label': path, spellcheck: 'false', tabindex: '0' }),
        // The Tab key moves the focus out of the editor, so that keyboard users can leave it. Ctrl ] and Ctrl [ change the indentation.
        keymap.of([...closeBracketsKeymap, ...historyKeymap, ...defaultKeymap]),
        languageOf(path),
        readOnly.of(lock()),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(shown, update.state.doc.toString())
        }),
      ],
    })
  const view = new EditorView({ parent: root, root, state: stateOf(file.path, file.text) })
  return {
    show: (path, text) => {
      if (path === shown && view.state.doc.toString() === text) return
      if (path !== shown) states.set(shown, view.state)
      const known = states.get(path)
      shown = path
      view.setState(known?.doc.toString() === text ? known : stateOf(path, text))
      view.dispatch({ effects: readOnly.reconfigure(lock()) })
    },
    setReadOnly: (isNow) => {
      may = !isNow
      view.dispatch({ effects: readOnly.reconfigure(lock()) })
    },
    forget: () => states.clear(),
    goToError: (place, message) => {
      const anchor = Math.min(place, view.state.doc.length)
      view.dispatch({ effects: setError.of({ place, message }), selection: { anchor }, scrollIntoView: true })
      view.focus()
    },
    destroy: () => view.destroy(),
  }
}
