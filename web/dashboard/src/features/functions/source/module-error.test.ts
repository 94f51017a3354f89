import { expect, it } from 'vitest'
import { offsetOf, placeOf, readable } from './module-error'

const files = ['index.ts', 'functions/hello/index.ts', 'functions/_shared/cors.ts']
const message =
  'The function cannot run: Module not found "file:///x/none.ts".\n    at /data/versions/hello/3/functions/hello/functions/hello/index.ts:2:19'

it('finds the file of the function with the longest matching path', () => {
  expect(placeOf(message, files)).toEqual({ file: 'functions/hello/index.ts', line: 2, column: 19 })
  expect(readable(message, files)).toContain('\n    at functions/hello/index.ts:2:19')
})

it('finds no file if the message names another file, or no position', () => {
  expect(placeOf('at /elsewhere/main.ts:1:1', files)).toBeUndefined()
  expect(placeOf('no end after 30 seconds', files)).toBeUndefined()
  expect(readable('at /elsewhere/main.ts:1:1', files)).toBe('at /elsewhere/main.ts:1:1')
})

it('converts a line and a column to an offset within the text', () => {
  expect(offsetOf('ab\ncd', { line: 2, column: 2 })).toBe(4)
  expect(offsetOf('ab', { line: 9, column: 9 })).toBe(2)
})
