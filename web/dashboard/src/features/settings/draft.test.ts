import { describe, expect, it } from 'vitest'
import type { Kind, Setting, Value } from './contract'
import { changes, fault, inWords, isTicked, shownText, textOf, typed, type Draft } from './draft'

const setting = (kind: Kind, value: Value, more: Partial<Setting> = {}): Setting => ({
  key: 'auth.x',
  file: 'config.toml',
  label: 'X',
  hint: '',
  kind,
  name: '',
  value,
  default: null,
  is_set: true,
  has_secret: false,
  locked: null,
  confirm: null,
  waits_for_restart: false,
  is_live: true,
  ...more,
})
const none: Draft = new Map()

describe('a draft of settings', () => {
  it('has no change if the value equals that of the file', () => {
    const number = setting({ type: 'count', min: 1, max: 9 }, 3)
    expect(typed(typed(none, number, '4'), number, '3').size).toBe(0)
    const tick = setting({ type: 'switch' }, true)
    expect(typed(typed(none, tick, false), tick, true).size).toBe(0)
    const secret = setting({ type: 'secret' }, null)
    expect(typed(typed(none, secret, 'a'), secret, '').size).toBe(0)
  })
  it('removes a key that its file contains, and no other', () => {
    const tick = setting({ type: 'switch' }, true, { default: false })
    const draft = typed(none, tick, null)
    expect(changes(draft, [tick])).toEqual([{ key: 'auth.x', value: null }])
    expect(isTicked(tick, draft)).toBe(false)
    expect(typed(none, { ...tick, is_set: false }, null).size).toBe(0)
  })
  it('sends the type of the setting', () => {
    const sent = (kind: Kind, text: string) => {
      const one = setting(kind, 'other')
      return changes(typed(none, one, text), [one])[0]?.value
    }
    expect(sent({ type: 'count', min: 1, max: 9 }, ' 7 ')).toBe(7)
    expect(sent({ type: 'count', min: 1, max: 9 }, '')).toBe(null)
    expect(sent({ type: 'size' }, ' 5MiB')).toBe('5MiB')
    expect(sent({ type: 'duration' }, '')).toBe(null)
    expect(sent({ type: 'text' }, '')).toBe('')
    expect(sent({ type: 'lines' }, '<p>a</p>\n')).toBe('<p>a</p>\n')
    expect(sent({ type: 'lines' }, ' \n')).toBe(null)
    expect(sent({ type: 'list' }, 'https://a.example\n\n https://b.example ')).toEqual([
      'https://a.example',
      'https://b.example',
    ])
  })
  it('reports a number outside of the range', () => {
    const number = setting({ type: 'count', min: 6, max: 10 }, 6)
    for (const text of ['5', '11', '6.5', 'six']) expect(fault(number, typed(none, number, text))).toMatch(/from 6 to 10/)
    for (const text of ['7', '']) expect(fault(number, typed(none, number, text))).toBeUndefined()
  })
  it('changes ignored findings, and never ignores a whole rule by accident', () => {
    const one = { lint: 'table_bloat', on: ['public.a', 'public.b'], reason: 'Small.' }
    const rule = { lint: 'unused_index', on: [], reason: 'New.' }
    const ignored = setting({ type: 'ignored' }, [one, rule], { default: [] })
    const after = (entries: (typeof one)[]) => typed(none, ignored, textOf(entries))
    expect(after([one, rule]).size).toBe(0)
    const shorter = after([{ ...one, on: [' public.a', ''] }, rule])
    expect(changes(shorter, [ignored])[0]?.value).toEqual([{ ...one, on: ['public.a'] }, rule])
    expect(fault(ignored, shorter)).toBeUndefined()
    expect(changes(after([]), [ignored])[0]?.value).toBe(null)
    expect(fault(ignored, after([{ ...one, on: [' '] }, rule]))).toMatch(/Name an object/)
    expect(fault(ignored, after([{ ...one, reason: ' ' }]))).toMatch(/reason/)
    expect(inWords([one, rule])).toBe('table_bloat, unused_index')
  })
  it('shows lists by lines and values in words', () => {
    const list = setting({ type: 'list' }, ['a', 'b'])
    expect(shownText(list, none)).toBe('a\nb')
    expect([true, false, null, '', [], ['a', 'b'], 5].map((value) => inWords(value))).toEqual([
      'on',
      'off',
      'none',
      'none',
      'none',
      'a, b',
      '5',
    ])
  })
})
