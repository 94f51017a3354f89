import { expect, it } from 'vitest'
import { isRecent, remindedSeason, sentence, type Recipient } from './reminders'

const now = Date.parse('2026-10-20T12:00:00Z')

it('lists who was not reminded, with the reason', () => {
  const names: Record<string, string> = { a: 'Ann', b: 'Bob', c: 'Cat', d: 'Dan' }
  const outcomes = [
    { recipient: 'a', outcome: 'recent' },
    { recipient: 'b', outcome: 'queued' },
    { recipient: 'c', outcome: 'gone' },
    { recipient: 'd', outcome: 'address' },
  ]
  expect(sentence(outcomes, (recipient) => names[recipient] ?? '')).toBe(
    '1 reminder is being sent. Reminded in the last 24 hours already: Ann. Not reminded, because it has arrived in the meantime: Cat. Not sent, because no mail can be sent to the address: Dan.',
  )
  expect(sentence([], () => '')).toBe('0 reminders are being sent.')
})

it('an address counts as recently reminded for 24 hours', () => {
  const at = (reminded_at: string | null) => isRecent({ reminded_at } as Recipient, now)
  expect([null, '2026-10-19T12:00:00Z', '2026-10-19T12:00:01Z'].map(at)).toEqual([false, false, true])
})

it('reminders belong to the season whose entries are open and that has a last day', () => {
  const season = (opens_at: string | null, closes_at: string | null, ends_at: string) => ({ opens_at, closes_at, ends_at })
  const open = season('2026-09-01T00:00:00Z', '2026-10-31T00:00:00Z', '2026-11-20T00:00:00Z')
  const next = season(null, '2027-10-31T00:00:00Z', '2027-11-20T00:00:00Z')
  const past = season(null, '2025-10-31T00:00:00Z', '2025-11-20T00:00:00Z')
  // The latest season comes first.
  expect(remindedSeason([next, open, past], now)).toBe(open)
  expect(remindedSeason([{ ...open, opens_at: null }], now)?.closes_at).toBe(open.closes_at)
  for (const none of [
    [],
    [past],
    [{ ...open, opens_at: '2026-10-20T12:00:01Z' }],
    [{ ...open, closes_at: '2026-10-20T12:00:00Z' }],
    [{ ...open, closes_at: null }],
  ]) {
    expect(remindedSeason(none, now)).toBeUndefined()
  }
})
