import { expect, it } from 'vitest'
import { bytesOf, cutBody, fileName, firstDraft, logFilter, problemOf, requestOf, shownBody, type CallResponse } from './call'

const base64 = (bytes: number[] | string) =>
  btoa(typeof bytes === 'string' ? String.fromCharCode(...new TextEncoder().encode(bytes)) : String.fromCharCode(...bytes))

const response: CallResponse = {
  request_id: 'r1',
  started_at: '2026-11-28T04:00:00.000Z',
  ended_at: '2026-11-28T04:00:02.000Z',
  status: 200,
  status_text: 'OK',
  headers: [],
  head_ms: 1,
  total_ms: 2,
  body: '',
  ended: 'complete',
  body_seconds: 10,
  max_body_bytes: 4 << 20,
}

it('sends the typed values, without rows that have no name', () => {
  const pairs = [
    { name: ' a ', value: ' 1 ' },
    { name: '', value: 'lost' },
  ]
  const sent = requestOf({ ...firstDraft, path: 'users/1', query: pairs, headers: pairs, seconds: '30' })
  expect(sent).toEqual({
    as: { role: 'anon' },
    method: 'POST',
    path: '/users/1',
    query: [['a', ' 1 ']],
    headers: [
      ['a', ' 1 '],
      ['content-type', 'application/json'],
    ],
    body: '{}',
    body_seconds: 30,
  })
})

it('prefers a typed content type, and sends no body with GET', () => {
  const headers = [{ name: 'Content-Type', value: 'application/xml' }]
  expect(requestOf({ ...firstDraft, headers }).headers).toEqual([['Content-Type', 'application/xml']])
  const get = requestOf({ ...firstDraft, method: 'GET' })
  expect(get.headers).toEqual([])
  expect(get).not.toHaveProperty('body')
  expect(requestOf({ ...firstDraft, bodyKind: 'none' })).not.toHaveProperty('body')
})

it('refuses an invalid call', () => {
  expect(problemOf(firstDraft)).toBeUndefined()
  expect(problemOf({ ...firstDraft, as: { user: '' } })?.field).toBe('as')
  expect(problemOf({ ...firstDraft, body: '{"a":' })?.text).toContain('no JSON')
  expect(problemOf({ ...firstDraft, body: '{"a":', bodyKind: 'text' })).toBeUndefined()
  expect(problemOf({ ...firstDraft, body: '{"a":', method: 'GET' })).toBeUndefined()
})

it('shows JSON with line breaks, text unchanged, and no bytes as text', () => {
  expect(shownBody(response)).toEqual({ kind: 'empty' })
  expect(shownBody({ ...response, body: base64('{"a":[1]}') })).toEqual({ kind: 'json', text: '{\n  "a": [\n    1\n  ]\n}' })
  expect(shownBody({ ...response, body: base64('12.0') })).toEqual({ kind: 'text', text: '12.0' })
  expect(shownBody({ ...response, body: base64('{half') })).toEqual({ kind: 'text', text: '{half' })
  expect(shownBody({ ...response, body: base64([0x89, 0x50, 0xff]) })).toEqual({ kind: 'binary', bytes: 3 })
  expect(shownBody({ ...response, body: base64([0x61, 0]) })).toEqual({ kind: 'binary', bytes: 2 })
})

it('shows a text that was truncated within a character, and reports the truncation', () => {
  const cut = { ...response, body: base64([0x61, 0xc3]) }
  expect(shownBody(cut)).toEqual({ kind: 'binary', bytes: 2 })
  expect(shownBody({ ...cut, ended: 'seconds' })).toEqual({ kind: 'text', text: 'a' })
  expect(cutBody(response)).toBeUndefined()
  expect(cutBody({ ...response, ended: 'seconds' })).toContain('after 10 seconds')
  expect(cutBody({ ...response, ended: 'bytes' })).toContain('4 MiB')
  expect(cutBody({ ...response, ended: 'broken' })).toContain('broke')
})

it('reads the log until shortly after the end of the call', () => {
  expect(logFilter(response)).toEqual({
    request: 'r1',
    start: '2026-11-28T04:00:00.000Z',
    end: '2026-11-28T04:00:07.000Z',
    limit: 200,
  })
})

it('names a file according to its type', () => {
  expect(fileName('hello', [['content-type', 'text/csv; charset=utf-8']])).toBe('hello.csv')
  expect(fileName('hello', [])).toBe('hello.bin')
  expect([...bytesOf(base64([0, 255]))]).toEqual([0, 255])
})
