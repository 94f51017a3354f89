import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ContentMismatch, transfer } from './transfer'

interface Answer {
  error: { message: string; status?: number; statusCode?: string } | null
}
const upload = vi.fn<() => Promise<Answer>>()

vi.mock('@/lib/supabase', () => ({
  connectAsVisitor: () => Promise.resolve({ storage: { from: () => ({ upload }) } }),
}))

const lost = { error: { message: 'Failed to fetch' } }
const minute = 60_000

function send(signal = new AbortController().signal) {
  const onPause = vi.fn<(paused: boolean) => void>()
  const file = new File(['x'], 'photo.png', { type: 'image/png' })
  const outcome = transfer({ bucket: 'b', path: 'p', file, onProgress: () => undefined, onPause, signal }).then(
    () => 'arrived',
    (error: unknown) => error,
  )
  return { outcome, onPause }
}

beforeEach(() => {
  vi.useFakeTimers()
  upload.mockReset()
})
afterEach(() => vi.useRealTimers())

describe('a transfer without a connection', () => {
  it('continues after minutes', async () => {
    upload.mockResolvedValue(lost)
    const { outcome, onPause } = send()
    await vi.advanceTimersByTimeAsync(9 * minute)
    upload.mockResolvedValue({ error: null })
    await vi.advanceTimersByTimeAsync(20_000)
    await expect(outcome).resolves.toBe('arrived')
    expect(onPause).toHaveBeenLastCalledWith(false)
  })

  it('gives up after ten minutes', async () => {
    upload.mockResolvedValue(lost)
    const { outcome } = send()
    const settled = vi.fn()
    void outcome.then(settled)
    await vi.advanceTimersByTimeAsync(10 * minute - 1000)
    expect(settled).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(20_000)
    await expect(outcome).resolves.toMatchObject({ message: 'Failed to fetch' })
    expect(upload.mock.calls.length).toBeGreaterThan(30)
    expect(upload.mock.calls.length).toBeLessThan(80)
  })

  it('retries as soon as the device is online', async () => {
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
    upload.mockResolvedValueOnce(lost).mockResolvedValue({ error: null })
    const { outcome } = send()
    await vi.advanceTimersByTimeAsync(100)
    expect(upload).toHaveBeenCalledTimes(1)
    window.dispatchEvent(new Event('online'))
    await vi.advanceTimersByTimeAsync(0)
    await expect(outcome).resolves.toBe('arrived')
  })

  it('ends if its file is removed', async () => {
    upload.mockResolvedValue(lost)
    const controller = new AbortController()
    const { outcome } = send(controller.signal)
    await vi.advanceTimersByTimeAsync(minute)
    controller.abort()
    await expect(outcome).resolves.toMatchObject({ message: 'Removed by the user' })
    upload.mockClear()
    await vi.advanceTimersByTimeAsync(minute)
    expect(upload).not.toHaveBeenCalled()
  })
})

describe('a file that the server refuses', () => {
  it.each([
    { message: 'mime type image/png is not supported', status: 415 },
    { message: 'mime type image/png is not supported', status: 400, statusCode: '415' },
  ])('for its content is tried once: %o', async (error) => {
    upload.mockResolvedValue({ error })
    await expect(send().outcome).resolves.toBeInstanceOf(ContentMismatch)
    expect(upload).toHaveBeenCalledTimes(1)
  })

  it('for another reason is tried only once too', async () => {
    upload.mockResolvedValue({ error: { message: 'no', status: 500 } })
    const error = await send().outcome
    expect(error).toMatchObject({ message: 'no' })
    expect(error).not.toBeInstanceOf(ContentMismatch)
    expect(upload).toHaveBeenCalledTimes(1)
  })
})
