import { expect, it } from 'vitest'
import { sentence, sharedAddresses, statesOf } from './states'

it('an entry has the furthest state of its mails, in whatever order the mails were sent', () => {
  const states = statesOf([
    { entry: 'a', state: 'winner' },
    { entry: 'a', state: 'shortlisted' },
    { entry: 'b', state: 'invited' },
    { entry: 'c', state: 'of a later version' },
  ])
  expect([...states]).toEqual([
    ['a', 'winner'],
    ['b', 'invited'],
  ])
})

it('lists who got no mail, with the reason', () => {
  const names: Record<string, string> = { a: 'Ann', b: 'Bob', c: 'Cat', d: 'Dan' }
  const outcomes = [
    { entry: 'a', outcome: 'sent' },
    { entry: 'b', outcome: 'queued' },
    { entry: 'c', outcome: 'withdrawn' },
    { entry: 'd', outcome: 'address' },
  ]
  expect(sentence(outcomes, (entry) => names[entry] ?? '')).toBe(
    '1 mail is being sent. Had it already: Ann. Withdrawn, so not sent: Cat. Not sent, because no mail can be sent to the address: Dan.',
  )
})

it('lists an address that more than three entries share, regardless of its spelling', () => {
  const parents = ['one.two@example.org', 'onetwo+a@example.org', 'OneTwo@Example.org', 'other@example.org']
  const rows = parents.map((address) => ({ row: { parent_guardian_email: address } }))
  expect(sharedAddresses(rows)).toEqual([])
  expect(
    sharedAddresses([...rows, { row: { nominator_email: 'onetwo@example.org', parent_guardian_email: 'x@example.org' } }]),
  ).toEqual([['onetwo@example.org', 4]])
})
