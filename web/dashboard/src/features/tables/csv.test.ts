import { expect, it } from 'vitest'
import { firstLine } from './csv'

it.each([
  ['', []],
  ['a,b\n1,2', ['a', 'b']],
  ['a,b\r\n1,2', ['a', 'b']],
  ['\uFEFFa,b', ['a', 'b']],
  ['"a,b","c ""d""",e', ['a,b', 'c "d"', 'e']],
  ['"a\nb",c\nd', ['a\nb', 'c']],
  ['a,\n', ['a', '']],
])('reads the first line of %j', (text, fields) => {
  expect(firstLine(text)).toEqual(fields)
})
