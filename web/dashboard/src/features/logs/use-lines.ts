import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { apiUrl, get } from '@/lib/api'
import { queryOf, type Filters, type Line } from './contract'

/** Number of lines per request, and maximum number of lines kept from the live stream. */
const limit = 200
const keptLive = 1000

/** The log lines that match the filters, newest first. @param before number of the last line on the previous page */
export function useLines(filters: Filters, before: number | undefined) {
  return useQuery({
    queryKey: ['logs', filters, before],
    queryFn: ({ signal }) =>
      get<{ lines: Line[]; oldest: number | null }>('/logs', { ...queryOf(filters), before, limit }, signal),
  })
}

export interface Live {
  lines: readonly Line[]
  /** Whether lines are missing, because they arrived faster than the page could read them. */
  hasGap: boolean
}

/** Receives new lines as they arrive, while `isOn` is true. */
export function useLive(filters: Filters, isOn: boolean): Live {
  const [live, setLive] = useState<Live>({ lines: [], hasGap: false })
  const address = apiUrl('/logs/stream', queryOf(filters))
  const [shown, setShown] = useState(address)
  if (shown !== address) {
    setShown(address)
    setLive({ lines: [], hasGap: false })
  }
  useEffect(() => {
    if (!isOn) return
    const source = new EventSource(address)
    let waiting: Line[] = []
    // The page is rendered a few times per second at most, no matter how fast lines arrive.
    const timer = window.setInterval(() => {
      if (waiting.length === 0) return
      const fresh = waiting.reverse()
      waiting = []
      setLive(({ lines, hasGap }) => ({ lines: [...fresh, ...lines].slice(0, keptLive), hasGap }))
    }, 250)
    source.addEventListener('line', (event: MessageEvent<string>) => waiting.push(JSON.parse(event.data) as Line))
    // PostgreSQL's own lines have no number. They are only in the live stream.
    let count = 0
    source.addEventListener('postgres', (event: MessageEvent<string>) => {
      count += 1
      waiting.push({ ...(JSON.parse(event.data) as Line), key: `postgres-${count}` })
    })
    source.addEventListener('lost', () => setLive(({ lines }) => ({ lines, hasGap: true })))
    return () => {
      source.close()
      window.clearInterval(timer)
    }
  }, [address, isOn])
  return live
}
