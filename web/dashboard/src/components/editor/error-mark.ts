import { StateEffect, StateField, type Extension } from '@codemirror/state'
import { Decoration, EditorView, type DecorationSet } from '@codemirror/view'

interface Failure {
  place: number
  message: string
}

/** Effect that marks the position of an error. `undefined` removes the mark. */
export const setError = StateEffect.define<Failure | undefined>()

/** Returns the range to mark: the word at the position, or one character if there is no word. */
export function wordAt(text: string, place: number): { from: number; to: number } {
  const from = Math.min(Math.max(place, 0), Math.max(text.length - 1, 0))
  const word = /^("(?:[^"]|"")*"|[\p{L}\p{N}_$]+)/u.exec(text.slice(from))?.[0] ?? ''
  return { from, to: Math.min(text.length, from + Math.max(word.length, 1)) }
}

const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(before, { docChanged, effects, newDoc }) {
    const set = effects.find((effect) => effect.is(setError))
    // Any edit removes the mark, because it may have corrected the error or moved its position.
    if (!set) return docChanged ? Decoration.none : before
    if (set.value === undefined || newDoc.length === 0) return Decoration.none
    const { place, message } = set.value
    const { from, to } = wordAt(newDoc.toString(), place)
    const line = Decoration.line({ class: 'cm-errorLine' }).range(newDoc.lineAt(from).from)
    return Decoration.set([line, Decoration.mark({ class: 'cm-error', attributes: { title: message } }).range(from, to)])
  },
  provide: (field) => EditorView.decorations.from(field),
})

const looks = EditorView.theme({
  '.cm-errorLine': { backgroundColor: 'var(--destructive-wash)' },
  '.cm-error': { textDecoration: 'underline wavy var(--destructive) 1.5px', textUnderlineOffset: '3px' },
})

export const errorMark: Extension = [marks, looks]
