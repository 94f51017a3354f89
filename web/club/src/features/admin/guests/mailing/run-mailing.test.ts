import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Guest } from '../queries/list-guests'
import { keepMailing, newMailing, readMailing } from './mailing'
import { runMailing } from './run-mailing'

const hasLetterSince = vi.hoisted(() => vi.fn<() => Promise<boolean>>())
const sendLetter = vi.hoisted(() => vi.fn<(letter: { name: string }) => Promise<void>>())
vi.mock('../queries/letters-since', () => ({ hasLetterSince }))
vi.mock('../queries/send-letter', () => ({ sendLetter }))

function guest(id: string, email: string | null = `${id}@example.org`): Guest {
  return {
    id,
    name: id,
    email,
    status: 'invited',
    phone: null,
    organization: null,
    notes: null,
    created_at: '',
    updated_at: '',
  }
}

async function run(guests: Guest[], isStopped = () => false) {
  const running = runMailing(
    newMailing(
      'Dear {guest}',
      null,
      guests.map(({ id }) => id),
    ),
    {
      guests,
      isStopped,
      onProgress: keepMailing,
    },
  )
  await vi.runAllTimersAsync()
  return running
}

describe('a mailing', () => {
  beforeEach(() => {
    vi.useFakeTimers()
    hasLetterSince.mockReset().mockResolvedValue(false)
    sendLetter.mockReset().mockResolvedValue()
  })
  afterEach(() => vi.useRealTimers())

  it('waits half a second between two letters', async () => {
    const times: number[] = []
    sendLetter.mockImplementation(() => {
      times.push(Date.now())
      return Promise.resolve()
    })
    await run([guest('a'), guest('b'), guest('c')])
    expect(times.map((time, index) => time - (times[index - 1] ?? time))).toEqual([0, 500, 500])
  })

  it('continues after a failure and lists who got no letter', async () => {
    sendLetter.mockImplementation(({ name }) => (name === 'b' ? Promise.reject(new Error('refused')) : Promise.resolve()))
    expect(await run([guest('a'), guest('b'), guest('c')])).toMatchObject({ sent: ['a', 'c'], failed: ['b'], waiting: [] })
  })

  it('does not send to a guest whose letter is on the server’s list', async () => {
    hasLetterSince.mockResolvedValue(true)
    expect(await run([guest('a')])).toMatchObject({ sent: ['a'] })
    expect(sendLetter).not.toHaveBeenCalled()
  })

  it('counts a letter as sent if it arrived although its response was lost', async () => {
    sendLetter.mockRejectedValue(new Error('connection lost'))
    hasLetterSince.mockResolvedValueOnce(false).mockResolvedValueOnce(true)
    expect(await run([guest('a')])).toMatchObject({ sent: ['a'], failed: [] })
  })

  it('never sends to a guest without an address', async () => {
    expect(await run([guest('a', null), guest('b', 'none')])).toMatchObject({ failed: ['a', 'b'] })
    expect(sendLetter).not.toHaveBeenCalled()
  })

  it('stops on request, and is stored for another day', async () => {
    await run([guest('a'), guest('b')], () => sendLetter.mock.calls.length >= 1)
    expect(readMailing()).toMatchObject({ sent: ['a'], waiting: ['b'], message: 'Dear {guest}' })
  })

  it('is deleted when no guest is left', async () => {
    await run([guest('a')])
    expect(readMailing()).toBeUndefined()
  })
})
