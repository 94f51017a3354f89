import { expect, it } from 'vitest'
import { firstLine, separatorOf } from './csv'

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

it.each([
  ['a,b;c', ','],
  ['a;b;c,d\n1,2,3,4', ';'],
  ['"a,b,c"\tb', '\t'],
  ['a', ','],
])('finds the separator of %j', (text, separator) => {
  expect(separatorOf(text)).toBe(separator)
})
