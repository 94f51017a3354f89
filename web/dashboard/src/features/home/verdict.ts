/** How something stands: in order, worth a look, wrong, or not set up. */
export type Level = 'ok' | 'warning' | 'problem' | 'off'

/** What a card of the health says. */
export interface Verdict {
  level: Level
  /** The figure or the few words that stand out. */
  figure: string
  /** Sentences: what is wrong, or how it stands. */
  says: string[]
}

const ranks: Record<Level, number> = { problem: 3, warning: 2, ok: 1, off: 0 }

/** The worst of several levels; `off` if there is none. */
export const worst = (levels: readonly Level[]) =>
  levels.reduce<Level>((found, level) => (ranks[level] > ranks[found] ? level : found), 'off')

/** How everything stands, in a sentence. Nothing while a part is still unknown and none is wrong. */
export function summaryOf(levels: readonly (Level | undefined)[]): string | undefined {
  const count = (level: Level) => levels.filter((one) => one === level).length
  const [problems, warnings] = [count('problem'), count('warning')]
  const parts = [
    ...(problems > 0 ? [`${problems} ${problems === 1 ? 'problem' : 'problems'}`] : []),
    ...(warnings > 0 ? [`${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`] : []),
  ]
  if (parts.length > 0) return `${parts.join(' and ')}: see the marked cards.`
  return levels.includes(undefined) ? undefined : 'Everything is in order.'
}

export const plural = (count: number, one: string, many = `${one}s`) =>
  `${count.toLocaleString('en-GB')} ${count === 1 ? one : many}`
