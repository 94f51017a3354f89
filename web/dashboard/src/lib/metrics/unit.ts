import { formatBytes, formatCount, formatDuration } from '@/lib/format'

export type Unit = 'rate' | 'ms' | 'count' | 'bytes' | 'age'

const digits = (count: number) => new Intl.NumberFormat('en-GB', { maximumSignificantDigits: count })
const [coarse, short] = [digits(2), digits(3)]

const formats: Record<Unit, (value: number) => string> = {
  rate: (value) => `${(value < 1 ? coarse : short).format(value)}/s`,
  ms: (value) => (value === 0 ? '0 ms' : formatDuration(value)),
  count: (value) => formatCount(Math.round(value)),
  bytes: (value) => formatBytes(Math.round(value)),
  age: (value) => {
    const [size, name] = (
      [
        [86_400, 'd'],
        [3600, 'h'],
        [60, 'min'],
      ] as const
    ).find(([size]) => value >= size) ?? [1, 's']
    return `${short.format(value / size)} ${name}`
  },
}

/** Formats a value with its unit. A dash if there is no value. */
export const formatValue = (value: number | null | undefined, unit: Unit) =>
  value === null || value === undefined ? '–' : formats[unit](value)
