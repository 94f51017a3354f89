import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import type { Supabase } from '@/lib/supabase'
import type { JudgedEntry } from './entry'
import { JudgeClient } from './judge-client'
import { PlaceButtons } from './PlaceButtons'
import { usePictureKeys } from './viewer/use-picture-keys'

vi.mock('@cloch/ui/lib/notify', () => ({ notifySuccess: vi.fn(), notifyError: vi.fn() }))

const entry = (id: string) =>
  ({ id, award: 'artist', category: 'Senior', title: `Work ${id}`, entrant: 'Isla', place: null }) as unknown as JudgedEntry

/** A table that stores a change at once, but responds only when the test allows it. */
function table() {
  const changes: unknown[] = []
  const waiting: (() => void)[] = []
  const chain = {
    eq: () => chain,
    is: () => chain,
    select: () => new Promise((done) => waiting.push(() => done({ data: [{ id: 'a' }], error: null }))),
  }
  const update = (change: unknown) => {
    changes.push(change)
    return chain
  }
  const answer = () =>
    act(() => {
      for (const done of waiting.splice(0)) done()
      return Promise.resolve()
    })
  return { supabase: { from: () => ({ update }) } as unknown as Supabase, changes, answer }
}

function Keys() {
  usePictureKeys({ entry: entry('a'), onStep: () => undefined })
  return null
}

it('saves one place of an entry at a time, whether it is given by a key or by a click', async () => {
  const { supabase, changes, answer } = table()
  render(
    <QueryClientProvider client={new QueryClient()}>
      <JudgeClient value={supabase}>
        <PlaceButtons entry={entry('a')} />
        <PlaceButtons entry={entry('b')} />
        <Keys />
      </JudgeClient>
    </QueryClientProvider>,
  )
  const user = userEvent.setup()
  const [first, other] = screen.getAllByRole('button', { name: '1st Place' })
  if (!first || !other) throw new Error('no buttons')
  // Two keys are pressed before the first change is rendered. Then follows a click.
  await user.keyboard('12')
  await vi.waitFor(() => expect(first).toHaveAttribute('aria-disabled', 'true'))
  await user.click(first)
  expect(changes).toEqual([{ senior_ranking: 1 }])
  // The buttons of another entry stay enabled.
  expect(other).toHaveAttribute('aria-disabled', 'false')
  await answer()
  await vi.waitFor(() => expect(first).toHaveAttribute('aria-disabled', 'false'))
  await user.click(first)
  await user.keyboard('3')
  expect(changes).toHaveLength(2)
  await answer()
})
