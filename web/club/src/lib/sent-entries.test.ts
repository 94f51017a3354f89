import { beforeEach, expect, it, vi } from 'vitest'
import { forgetSentEntries, keepSentEntry, sweepSentEntries } from './sent-entries'

const token = (letter: string) => letter.repeat(64)
const stored = () => JSON.parse(localStorage.getItem('kept-entries') ?? '[]') as { form: string; token: string }[]
const tokens = () => stored().map((entry) => entry.token[0])

beforeEach(() => localStorage.clear())

it('keeps the links of the last five entries, each once, and none of the answers', () => {
  for (const letter of ['a', 'b', 'c', 'd', 'e', 'f', 'b']) keepSentEntry('young-artist', token(letter))
  expect(tokens()).toEqual(['b', 'f', 'e', 'd', 'c'])
  expect(Object.keys(stored()[0] ?? {}).sort()).toEqual(['form', 'sentAt', 'token'])
  forgetSentEntries(token('f'))
  expect(tokens()).toEqual(['b', 'e', 'd', 'c'])
  forgetSentEntries()
  expect(localStorage.length).toBe(0)
})

it('deletes expired links, invalid ones, and all of them when entries are closed', () => {
  vi.useFakeTimers({ now: new Date('2026-08-01T12:00:00Z') })
  keepSentEntry('young-artist', token('a'))
  vi.setSystemTime(new Date('2026-09-30T11:59:00Z'))
  keepSentEntry('young-citizen', token('b'))
  sweepSentEntries(false)
  expect(tokens()).toEqual(['b', 'a'])
  vi.setSystemTime(new Date('2026-09-30T12:00:00Z'))
  sweepSentEntries(false)
  expect(tokens()).toEqual(['b'])
  sweepSentEntries(true)
  expect(localStorage.length).toBe(0)
  for (const broken of ['x', '{}', '[null]', '[{"form":"a","token":"<script>","sentAt":"2026-09-30"}]', '[{"token":3}]']) {
    localStorage.setItem('kept-entries', broken)
    sweepSentEntries(false)
    expect(localStorage.length).toBe(0)
  }
  vi.useRealTimers()
})

it('works in a browser without storage', () => {
  const refuse = () => {
    throw new DOMException('no storage', 'SecurityError')
  }
  const spies = (['getItem', 'setItem', 'removeItem'] as const).map((method) =>
    vi.spyOn(Storage.prototype, method).mockImplementation(refuse),
  )
  keepSentEntry('young-artist', token('a'))
  forgetSentEntries()
  sweepSentEntries(true)
  spies.forEach((spy) => spy.mockRestore())
  expect(localStorage.length).toBe(0)
})
