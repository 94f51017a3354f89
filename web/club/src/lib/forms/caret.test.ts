import { afterEach, expect, it } from 'vitest'
import { placeCaret, readCaret } from './caret'

afterEach(() => document.body.replaceChildren())

function field(html: string): HTMLInputElement {
  document.body.innerHTML = `<form>${html}</form><input id="outside">`
  const first = document.querySelector<HTMLInputElement>('form > *')
  if (!first) throw new Error('no field')
  first.focus()
  return first
}

const form = () => document.forms[0] ?? document.body
const selected = ({ value, selectionStart, selectionEnd }: HTMLInputElement) =>
  `${value.slice(0, selectionStart ?? 0)}[${value.slice(selectionStart ?? 0, selectionEnd ?? 0)}]${value.slice(selectionEnd ?? 0)}`

it.each(['<input>', '<textarea></textarea>'])('selects a kept text that fills the empty field with the focus: %s', (html) => {
  const input = field(html)
  const caret = readCaret(form())
  input.value = 'Morag Sample'
  if (caret) placeCaret(caret)
  expect(selected(input)).toBe('[Morag Sample]')
})

it('returns to its position in the typed text', () => {
  const input = field('<input value="Isla">')
  input.setSelectionRange(1, 3)
  const caret = readCaret(form())
  input.value = ''
  input.value = 'Isla'
  if (caret) placeCaret(caret)
  expect(selected(input)).toBe('I[sl]a')
})

it('leaves the caret unchanged if the visitor has continued to type or left the field, or nothing was kept', () => {
  const input = field('<input value="Isla">')
  input.setSelectionRange(1, 1)
  const caret = readCaret(form())
  input.value = 'Isla S'
  input.setSelectionRange(6, 6)
  if (caret) placeCaret(caret)
  expect(selected(input)).toBe('Isla S[]')

  const empty = field('<input>')
  const before = readCaret(form())
  if (before) placeCaret(before)
  expect(selected(empty)).toBe('[]')
  document.getElementById('outside')?.focus()
  empty.value = 'Morag'
  empty.setSelectionRange(0, 0)
  if (before) placeCaret(before)
  expect(selected(empty)).toBe('[]Morag')
})

it('ignores choices and fields of other parts of the page', () => {
  field('<input type="radio">')
  expect(readCaret(form())).toBeUndefined()
  field('<input>')
  document.getElementById('outside')?.focus()
  expect(readCaret(form())).toBeUndefined()
})
