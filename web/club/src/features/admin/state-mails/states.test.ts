import { expect, it } from 'vitest'
import { sentence, statesOf } from './states'

it('an entry is in the furthest state whose mail it has, in whatever order the mails were sent', () => {
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

it('says who got no mail now, and why', () => {
  const names: Record<string, string> = { a: 'Ann', b: 'Bob', c: 'Cat' }
  const outcomes = [
    { entry: 'a', outcome: 'sent' },
    { entry: 'b', outcome: 'queued' },
    { entry: 'c', outcome: 'withdrawn' },
  ]
  expect(sentence(outcomes, (entry) => names[entry] ?? '')).toBe(
    '1 mail is being sent. Had it already: Ann. Withdrawn, so not sent: Cat.',
  )
})
