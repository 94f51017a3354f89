import type { Range } from './range'

const format = (options: Intl.DateTimeFormatOptions) => {
  const formatter = new Intl.DateTimeFormat('en-GB', options)
  return (seconds: number) => formatter.format(seconds * 1000)
}

const clock = format({ hour: '2-digit', minute: '2-digit' })
const exactClock = format({ hour: '2-digit', minute: '2-digit', second: '2-digit' })
const weekday = format({ weekday: 'short' })
const dayAndClock = format({ weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })

/** Formats the time of a sample in the browser's time zone. For ranges longer than an hour, the day is included. */
export const formatAt = (seconds: number, range: Range) => (range === '1h' ? exactClock : dayAndClock)(seconds)

export interface Tick {
  at: number
  label: string
}

/** Maximum number of marks on the axis, unless they are days. */
const mostTicks = 5
const stepsInMinutes = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720]
const day = 1440

/** Marks of the time axis. They are at round local times; a mark at midnight has the name of the day. */
export function ticks(from: number, to: number): Tick[] {
  const step = stepsInMinutes.find((minutes) => to - from <= minutes * 60 * mostTicks) ?? day
  const date = new Date(from * 1000)
  date.setHours(0, Math.floor((date.getHours() * 60 + date.getMinutes()) / step) * step, 0, 0)
  const found: Tick[] = []
  for (; date.getTime() < to * 1000; date.setMinutes(date.getMinutes() + step)) {
    const at = date.getTime() / 1000
    const isMidnight = date.getHours() === 0 && date.getMinutes() === 0
    if (at >= from) found.push({ at, label: (isMidnight ? weekday : clock)(at) })
  }
  return found
}

/**
 * Start of the time axis. It is the start of the range, or the start of the server if this is later. But the axis always covers at least a certain
 * part of the range.
 */
export const axisFrom = (from: number, to: number, started: number) => Math.max(from, Math.min(started, to - (to - from) / 12))
