import { highlightCode, tagHighlighter, tags } from '@lezer/highlight'
import { expect, it } from 'vitest'
import { isScript, scriptLanguage } from './script-language'

const names = tagHighlighter([
  { tag: tags.keyword, class: 'keyword' },
  { tag: tags.string, class: 'string' },
  { tag: tags.number, class: 'number' },
  { tag: tags.comment, class: 'comment' },
  { tag: tags.bool, class: 'bool' },
  { tag: tags.null, class: 'null' },
  { tag: tags.typeName, class: 'type' },
])

/** Each coloured piece of a text, with its class. */
function coloured(text: string): string[] {
  const found: string[] = []
  highlightCode(
    text,
    scriptLanguage.parser.parse(text),
    names,
    (piece, classes) => {
      if (classes !== '') found.push(`${classes}:${piece}`)
    },
    () => undefined,
  )
  return found
}

it('tells words, strings, numbers and comments apart', () => {
  expect(coloured(`const a = 'x' // b\n/* c\nd */ return 1.5e3`)).toEqual([
    'keyword:const',
    "string:'x'",
    'comment:// b',
    'comment:/* c',
    'comment:d */',
    'keyword:return',
    'number:1.5e3',
  ])
  expect(coloured('{"a": [true, null, -2]}')).toEqual(['string:"a"', 'bool:true', 'null:null', 'number:2'])
  expect(coloured('new Response(x as string)')).toEqual(['keyword:new', 'type:Response', 'keyword:as', 'type:string'])
})

it('reads code inside of templates, and text after it', () => {
  expect(coloured('`a ${f({ b: 1 })} c` + 2')).toEqual(['string:`a ${', 'number:1', 'string:} c`', 'number:2'])
  expect(coloured('`${`${1}`}` // x')).toEqual(['string:`${`${', 'number:1', 'string:}`}`', 'comment:// x'])
})

it('takes a slash for a regular expression only where a value can be', () => {
  expect(coloured('a / 2 / b')).toEqual(['number:2'])
  expect(coloured('x = /[/"]+/g // y')).toEqual(['string:/[/"]+/g', 'comment:// y'])
  expect(coloured('return /`/.test(s)')).toEqual(['keyword:return', 'string:/`/'])
})

it('knows the files that it highlights', () => {
  expect(['a.ts', 'b.tsx', 'c.mjs', 'd.json', 'e.jsonc'].every(isScript)).toBe(true)
  expect(['a.sql', 'json', 'b.html', 'ts'].some(isScript)).toBe(false)
})
