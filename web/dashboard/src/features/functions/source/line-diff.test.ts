import { expect, it } from 'vitest'
import { lineDiff } from './line-diff'

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\n`).join('')

// The expected values are the output of `diff -U3` of GNU diffutils, which omits a line count if it is 1.

it('shows nothing for equal texts', () => {
  expect(lineDiff('a\nb', 'a\nb')).toEqual([])
})

it('shows a changed line with three lines before and after it', () => {
  const changed = numbers(1, 20).replace('\n10\n', '\nten\n')
  const lines = ['@@ -7,7 +7,7 @@', ' 7', ' 8', ' 9', '-10', '+ten', ' 11', ' 12', ' 13']
  expect(lineDiff(numbers(1, 20), changed)).toEqual(lines)
})

it('shows distant changes as two parts, with the positions in both texts', () => {
  expect(lineDiff(numbers(1, 30), `zero\n${numbers(1, 29)}`)).toEqual([
    '@@ -1,3 +1,4 @@',
    '+zero',
    ' 1',
    ' 2',
    ' 3',
    '@@ -27,4 +28,3 @@',
    ' 27',
    ' 28',
    ' 29',
    '-30',
  ])
})

it('shows that the last line has no line end', () => {
  expect(lineDiff('a\n', 'b')).toEqual(['@@ -1,1 +1,1 @@', '-a', '+b', '\\ No newline at end of file'])
})

it('shows large texts without common lines completely, and fast', () => {
  const old = Array.from({ length: 20_000 }, (_, index) => `a${index}`).join('\n')
  const began = performance.now()
  expect(lineDiff(old, old.replaceAll('a', 'b')).filter((line) => /^[+-][ab]/.test(line))).toHaveLength(40_000)
  expect(performance.now() - began).toBeLessThan(5000)
})
