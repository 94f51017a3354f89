import { expect, it } from 'vitest'
import { lineDiff } from './line-diff'

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index)).join('\n')

it('shows nothing of equal texts', () => {
  expect(lineDiff('a\nb', 'a\nb')).toEqual([])
})

it('shows a changed line with three lines around it', () => {
  const changed = numbers(1, 20).replace('\n10\n', '\nten\n')
  expect(lineDiff(numbers(1, 20), changed)).toEqual(['@@ -7 +7 @@', ' 7', ' 8', ' 9', '-10', '+ten', ' 11', ' 12', ' 13'])
})

it('shows changes that are far apart as two parts, with the places of both texts', () => {
  const changed = `zero\n${numbers(1, 29)}`
  expect(lineDiff(numbers(1, 30), changed)).toEqual([
    '@@ -1 +1 @@',
    '+zero',
    ' 1',
    ' 2',
    ' 3',
    '@@ -27 +28 @@',
    ' 27',
    ' 28',
    ' 29',
    '-30',
  ])
})

it('shows new and removed files', () => {
  expect(lineDiff('', 'a\n')).toEqual(['@@ -1 +1 @@', '+a', '+'])
  expect(lineDiff('a', '')).toEqual(['@@ -1 +1 @@', '-a'])
})

it('keeps lines that are in both', () => {
  expect(lineDiff('a\nb\nc\nd', 'b\nx\nd\ne')).toEqual(['@@ -1 +1 @@', '-a', ' b', '-c', '+x', ' d', '+e'])
})

it('ends soon with two large texts that have nothing in common', () => {
  const old = Array.from({ length: 5000 }, (_, index) => `a${index}`).join('\n')
  expect(lineDiff(old, old.replaceAll('a', 'b'))).toHaveLength(10_001)
})
