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

/** 24 Nov 2026, 09:15 in the browser's time zone; a dash if there is no time. */
export const formatTime = (time: string | null | undefined) => (time ? dateTime.format(new Date(time)) : '–')
/** The same with seconds. */
export const formatExactTime = (time: string | null | undefined) => (time ? exactTime.format(new Date(time)) : '–')
/** 09:15:03.120, for log lines of today. */
export const formatClock = (time: string) => clock.format(new Date(time))
export const formatCount = (count: number) => integer.format(count)
export const formatRows = (count: number) => `${formatCount(count)} ${count === 1 ? 'row' : 'rows'}`

/** “3 hours ago”, “in 5 minutes”; the date if it is more than a month away. */
export function formatAgo(time: string | null | undefined, now = Date.now()): string {
  if (!time) return 'never'
  const seconds = (new Date(time).getTime() - now) / 1000
  if (Math.abs(seconds) > 30 * 86_400) return formatTime(time)
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1]
  return relative.format(Math.trunc(seconds / size), unit)
}

/** 1.5 MB: units of 1000, as used for disks and by browsers. */
export function formatBytes(bytes: number): string {
  const names = ['B', 'kB', 'MB', 'GB', 'TB']
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), names.length - 1)
  const value = bytes / 1000 ** step
  return `${step === 0 ? value : value.toFixed(value < 10 ? 2 : 1)} ${names[step] ?? ''}`
}

/** 850 ms, 2.41 s. */
export const formatDuration = (ms: number) =>
  ms < 1000 ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`
