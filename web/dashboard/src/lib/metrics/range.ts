export const ranges = ['1h', '24h', '7d'] as const
export type Range = (typeof ranges)[number]

export const rangeOf = (search: URLSearchParams): Range => ranges.find((range) => range === search.get('range')) ?? '1h'
