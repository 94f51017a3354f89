import { expect, it } from 'vitest'
import { outcome } from './trial'

const error = 'column "nothing" does not exist'

it.each([
  [[{ using: true }, { using: false }, { using: null }], 'It holds for 1 of 3 rows.'],
  [
    [
      { using: true, check: false },
      { using: true, check: true },
    ],
    'It holds for 1 of 2 rows.',
  ],
  [[{ error }, { error }], `It could not be tried: ${error}`],
  [
    [
      { using: true, error },
      { using: true, check: true },
    ],
    `It could not be tried on 1 of 2 rows: ${error}`,
  ],
])('says what a trial found: %j', (rows, text) => {
  expect(outcome(rows.map((row) => ({ row: {}, ...row }))).text).toBe(text)
})
