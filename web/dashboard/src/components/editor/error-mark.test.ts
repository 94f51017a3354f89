import { expect, it } from 'vitest'
import { wordAt } from './error-mark'

const marked = (text: string, place: number) => {
  const { from, to } = wordAt(text, place)
  return text.slice(from, to)
}

it('marks the word at the position of an error, or one character', () => {
  expect(marked('select nothing, b', 7)).toBe('nothing')
  expect(marked('select "odd ""name" from x', 7)).toBe('"odd ""name"')
  expect(marked('select größe', 7)).toBe('größe')
  expect(marked('select )', 7)).toBe(')')
  expect(marked('select ', 99), 'at the end of the input').toBe(' ')
  expect(wordAt('', 3)).toEqual({ from: 0, to: 0 })
})
