import { expect, test } from 'vitest'
import type { Saved, Setting } from './contract'
import { savedText, waiting } from './effect'

const saved = (...effects: Saved['changes'][number]['effect'][]): Saved => ({
  changes: effects.map((effect, index) => ({ key: `key_${index}`, effect })),
  problem: null,
  restart: 'cloch start',
})

test('each change is reported as in effect or as waiting for a restart', () => {
  expect(savedText(saved('applied', 'applied'))).toBe('Saved and in effect.')
  expect(savedText(saved('next start'))).toBe('Saved. In effect after a restart: key_0.')
  expect(savedText(saved('applied', 'next start'))).toBe(
    'Saved. In effect after a restart: key_1. The other changes are in effect.',
  )
  expect(savedText({ ...saved('next start'), problem: 'no such file' })).toBe('Saved. In effect after a restart.')
})

test('a key that the server does not apply waits for a restart', () => {
  const setting = (key: string, is_live: boolean) => ({ key, is_live }) as Setting
  const changes = ['a', 'b', 'c'].map((key) => ({ key, value: true }))
  expect(waiting(changes, [setting('a', true), setting('b', false)])).toEqual(['b', 'c'])
})
