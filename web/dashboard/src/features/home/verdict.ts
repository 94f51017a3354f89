/** State of a part: healthy, needs attention, does not work, or is not set up. */
export type Level = 'ok' | 'warning' | 'problem' | 'off'

/** Content of a health card. */
export interface Verdict {
  level: Level
  /** The number or short text shown in large type. */
  figure: string
  /** Sentences that explain the state. */
  says: string[]
}

const ranks: Record<Level, number> = { problem: 3, warning: 2, ok: 1, off: 0 }

/** Returns the worst of several levels; `off` for an empty list. */
export const worst = (levels: readonly Level[]) =>
  levels.reduce<Level>((found, level) => (ranks[level] > ranks[found] ? level : found), 'off')

/** Returns a sentence about the whole project. `undefined` if no part has a problem and the state of some part is not known yet. */
export function summaryOf(levels: readonly (Level | undefined)[]): string | undefined {
  const count = (level: Level) => levels.filter((one) => one === level).length
  const [problems, warnings] = [count('problem'), count('warning')]
  const parts = [
    ...(problems > 0 ? [`${problems} ${problems === 1 ? 'problem' : 'problems'}`] : []),
    ...(warnings > 0 ? [`${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`] : []),
  ]
  if (parts.length > 0) return `${parts.join(' and ')}: see the marked cards.`
  return levels.includes(undefined) ? undefined : 'Everything is healthy.'
}

export const plural = (count: number, one: string, many = `${one}s`) =>
  `${count.toLocaleString('en-GB')} ${count === 1 ? one : many}`
