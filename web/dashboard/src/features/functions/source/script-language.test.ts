import { expect, it } from 'vitest'
import { scriptLanguage } from './script-language'

it('lists the files that it highlights', () => {
  const script = scriptLanguage('a.ts')
  expect(script).toBeDefined()
  for (const path of ['b.tsx', 'c.mjs', 'd/e.cts', 'f.js']) expect(scriptLanguage(path), path).toBe(script)
  const json = scriptLanguage('a.json')
  expect([json === undefined, json === script]).toEqual([false, false])
  expect(scriptLanguage('b.jsonc')).toBe(json)
  for (const path of ['a.sql', 'json', 'b.html', 'ts']) expect(scriptLanguage(path), path).toBeUndefined()
})
