import { expect, test } from 'vitest'
import { metadataOf, offsetOf, problemText, variantsOf } from './mail-draft'

test('the metadata that a template reads is found', () => {
  const template =
    '{{ if eq .Data.lang "de" "fr" }}Hallo{{ else if ne .Data.team.name "A" }}x{{ end }}{{ if eq .Data.lang "gd" }}{{ end }}'
  expect(variantsOf(template)).toEqual([
    { path: 'lang', values: ['de', 'fr', 'gd'] },
    { path: 'team.name', values: ['A'] },
  ])
  expect(variantsOf('{{ if .Data.lang }}{{ .Email }}{{ end }}')).toEqual([])
})

test('chosen values become the metadata of a user', () => {
  expect(
    metadataOf(
      new Map([
        ['lang', 'de'],
        ['team.name', 'A'],
        ['team.size', '2'],
        ['empty', ''],
      ]),
    ),
  ).toEqual({
    lang: 'de',
    team: { name: 'A', size: '2' },
  })
})

test('a line and a column are converted to a position in the text', () => {
  const text = 'é\n  {{ nonsense }}\n😀{{ x }}'
  expect(text.slice(offsetOf(text, 2, 6))).toMatch(/^nonsense/)
  expect(text.slice(offsetOf(text, 3, 2))).toBe('{{ x }}')
  expect(offsetOf(text, 0, 0)).toBe(0)
  expect(offsetOf(text, 9, 9)).toBe(text.length)
})

test('a problem has a position', () => {
  const problem = { part: 'content' as const, line: 2, column: 14, message: 'unexpected', is_for_user: false }
  expect(problemText(problem)).toBe('Text, line 2, column 14: unexpected')
  expect(problemText({ ...problem, part: 'subject', line: 0, column: 0, is_for_user: true })).toBe(
    'Subject: unexpected. Users with this metadata get Cloch’s own mail.',
  )
})
