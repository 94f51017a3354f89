const dateTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
const exactTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })
const clock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
})
const relative = new Intl.RelativeTimeFormat('en-GB', { numeric: 'auto' })
const integer = new Intl.NumberFormat('en-GB')

/** Returns the first text that is not empty. */
export const firstText = (...texts: (string | null | undefined)[]) => texts.find((text) => text)

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

/** Formats a time such as 24 Nov 2026, 09:15, in the browser's time zone. A dash if there is no time. */
export const formatTime = (time: string | null | undefined) => (time ? dateTime.format(new Date(time)) : '–')
/** Formats a time like `formatTime`, but with seconds. */
export const formatExactTime = (time: string | null | undefined) => (time ? exactTime.format(new Date(time)) : '–')
/** Formats a time such as 09:15:03.120, for log lines of the current day. */
export const formatClock = (time: string) => clock.format(new Date(time))
export const formatCount = (count: number) => integer.format(count)
export const formatRows = (count: number) => `${formatCount(count)} ${count === 1 ? 'row' : 'rows'}`

/** Formats a time such as “3 hours ago” or “in 5 minutes”. If the time is more than a month away, returns the date. */
export function formatAgo(time: string | null | undefined, now = Date.now()): string {
  if (!time) return 'never'
  const seconds = (new Date(time).getTime() - now) / 1000
  if (Math.abs(seconds) > 30 * 86_400) return formatTime(time)
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1]
  return relative.format(Math.trunc(seconds / size), unit)
}

/** Formats a number of bytes such as 1.5 MB. The units are powers of 1000, as on disks and in browsers. */
export function formatBytes(bytes: number): string {
  const names = ['B', 'kB', 'MB', 'GB', 'TB']
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), names.length - 1)
  const value = bytes / 1000 ** step
  return `${step === 0 ? value : value.toFixed(value < 10 ? 2 : 1)} ${names[step] ?? ''}`
}

/** Formats a limit. Limits are usually configured in powers of 1024, such as 2MiB, which would otherwise be 2.10 MB. */
export const formatLimit = (bytes: number) =>
  bytes > 0 && bytes % (1 << 20) === 0 ? `${formatCount(bytes / (1 << 20))} MiB` : formatBytes(bytes)

/** 850 ms, 2.41 s. */
export const formatDuration = (ms: number) =>
  ms < 1000 ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`
