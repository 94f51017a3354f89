import type { JointEntry, JointResult } from './queries/joint-result'

/** Points of a judge's places: three for the 1st, two for the 2nd, one for the 3rd. */
const pointsOf = [0, 3, 2, 1]

/** An entry with the marks of all judges. */
export interface JointRow extends JointEntry {
  points: number
  /** The sum of all scores of all judges. */
  score: number
  /** Names of the judges who know the entrant. */
  knownBy: string[]
  /** Whether another entry has the same points and the same scores. */
  isTied: boolean
  /** The place according to points and scores; undefined if it is not unique. */
  proposed: number | undefined
}

function toRow(entry: JointEntry, { judges, criteria }: JointResult) {
  const scored = entry.marks.flatMap(({ scores }) => criteria.flatMap(({ id }) => scores[id] ?? []))
  const nameOf = (judge: string) => judges.find(({ id }) => id === judge)?.name
  return {
    ...entry,
    points: entry.marks.reduce((sum, { place }) => sum + (pointsOf[place ?? 0] ?? 0), 0),
    score: scored.reduce((sum, score) => sum + score, 0),
    knownBy: entry.marks.flatMap(({ known, judge }) => (known ? (nameOf(judge) ?? []) : [])),
  }
}

/**
 * The entries of a category, the best first: by points of places, then by scores. The first three get a proposed place. Entries with equal
 * points and scores are marked and get no proposed place, because an administrator must decide.
 */
export function jointRows(result: JointResult): JointRow[] {
  const rows = result.entries.map((entry) => toRow(entry, result))
  rows.sort((a, b) => b.points - a.points || b.score - a.score || a.entrant.localeCompare(b.entrant, 'en'))
  return rows.map((row, index) => {
    const hasMarks = row.points > 0 || row.score > 0
    const isTied = hasMarks && rows.some((other) => other !== row && other.points === row.points && other.score === row.score)
    return { ...row, isTied, proposed: hasMarks && !isTied && index < 3 ? index + 1 : undefined }
  })
}

/** Returns the places according to points and scores. */
export function proposedPlaces(rows: readonly JointRow[]): Record<string, number> {
  return Object.fromEntries(rows.flatMap(({ id, proposed }) => (proposed === undefined ? [] : [[id, proposed] as const])))
}

/** Returns the initial places of the form: the settled places, or the proposed places if no places are settled. */
export function firstPlaces(rows: readonly JointRow[]): Record<string, number> {
  const settled = rows.flatMap(({ id, place }) => (place === null ? [] : [[id, place] as const]))
  return settled.length > 0 ? Object.fromEntries(settled) : proposedPlaces(rows)
}

/** Returns the places that more than one entry has. */
export function placesGivenTwice(places: Readonly<Record<string, number>>): number[] {
  const given = Object.values(places)
  return [1, 2, 3].filter((place) => given.filter((each) => each === place).length > 1)
}

/** "Finished: 2 of 3 judges. Not finished: Ann, Ben." */
export function progress({ judges }: Pick<JointResult, 'judges'>): string {
  const waiting = judges.filter(({ finishedAt }) => finishedAt === null).map(({ name }) => name)
  const done = `Finished: ${judges.length - waiting.length} of ${judges.length} ${judges.length === 1 ? 'judge' : 'judges'}.`
  return waiting.length === 0 ? done : `${done} Not finished: ${waiting.join(', ')}.`
}

/** Returns the judges' names as column headings. If a name occurs more than once, a number is added. */
export function columnNames(judges: JointResult['judges']): string[] {
  return judges.map(({ name }, index) => {
    const before = judges.slice(0, index).filter((other) => other.name === name).length
    return before === 0 ? name : `${name} (${before + 1})`
  })
}
