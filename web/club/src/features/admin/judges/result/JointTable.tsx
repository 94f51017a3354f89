import { CircleAlert } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { NativeSelect } from '@cloch/ui/components/native-select'
import { BlockTable, type Column } from '../../shared/BlockTable'
import { Empty } from '../../shared/Empty'
import { placeWords } from '../../shared/place'
import { columnNames, firstPlaces, jointRows, placesGivenTwice, progress, proposedPlaces, type JointRow } from './joint-rows'
import { useSettle, type JointResult } from './queries/joint-result'
import { sectionName, type Section } from './sections'

interface JointTableProps {
  section: Section
  result: JointResult
}

/** The entries of a category with every judge's place, and the choice of the settled places. */
export function JointTable({ section, result }: JointTableProps) {
  const rows = useMemo(() => jointRows(result), [result])
  // The places that the administrator has chosen are kept when judges change their marks.
  const [chosen, setChosen] = useState<Record<string, number>>()
  const settle = useSettle(section)
  if (rows.length === 0) return <Empty>No entries in this category</Empty>
  const shown = chosen ?? firstPlaces(rows)
  const places = Object.fromEntries(rows.flatMap(({ id }) => (shown[id] === undefined ? [] : [[id, shown[id]] as const])))
  const choose = (id: string, value: string) => {
    const others = Object.entries(places).filter(([entry]) => entry !== id)
    setChosen(Object.fromEntries(value === '' ? others : [...others, [id, Number(value)]]))
  }
  const isSettled = rows.every(({ id, place }) => (place ?? undefined) === places[id])
  const proposal = proposedPlaces(rows)
  const isProposal = rows.every(({ id }) => proposal[id] === places[id])
  const twice = placesGivenTwice(places)
  return (
    <>
      <p role="status" className="mb-3">
        {result.judges.length === 0 ? 'No judge of this category has a link or has given a place.' : progress(result)}
      </p>
      <BlockTable label={`Joint result: ${sectionName(section)}`} columns={columnsOf(result, places, choose)} rows={rows} />
      <div className="mt-5 grid gap-3">
        {twice.map((place) => (
          <p key={place} role="status" className="flex gap-2 font-strong">
            <CircleAlert aria-hidden className="mt-0.5 shrink-0" />
            More than one entry gets the {placeWords(place)}.
          </p>
        ))}
        <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
          <Button
            disabled={settle.isPending || isSettled}
            aria-busy={settle.isPending}
            onClick={() =>
              settle.mutate(
                { state: result.state, places },
                { onSuccess: (answer) => (answer === 'settled' ? setChosen(undefined) : undefined) },
              )
            }
          >
            {settle.isPending ? 'Settling...' : 'Settle places'}
          </Button>
          {isProposal || Object.keys(proposal).length === 0 ? null : (
            <Button variant="outline" onClick={() => setChosen(proposal)}>
              Use the judges’ order
            </Button>
          )}
          <p className="text-muted-foreground">
            {!isSettled
              ? 'Settled places are the result: the website, the mails and the papers of the ceremony use them.'
              : Object.keys(places).length > 0
                ? 'These places are settled.'
                : 'No places are settled yet.'}
          </p>
        </div>
      </div>
    </>
  )
}

function columnsOf(
  result: JointResult,
  places: Readonly<Record<string, number>>,
  choose: (id: string, value: string) => void,
): Column<JointRow>[] {
  const names = columnNames(result.judges)
  const byJudge = result.judges.map(({ id, name }, index): Column<JointRow> => ({
    name: names[index] ?? name,
    cell: ({ marks }) => markText(marks.find(({ judge }) => judge === id)?.place, scoreOf(marks, id, result)),
  }))
  return [
    {
      name: 'Entry',
      lead: true,
      share: 2,
      cell: ({ entrant, title, school, knownBy }) => (
        <>
          <b>{entrant}</b>
          <span className="block text-small font-normal text-muted-foreground">
            {[title, school].filter(Boolean).join(' · ')}
          </span>
          {knownBy.length > 0 ? <span className="block text-small font-normal">Known to {knownBy.join(', ')}</span> : null}
        </>
      ),
    },
    ...byJudge,
    {
      name: 'Points',
      cell: ({ points, score, isTied }) =>
        `${points}${result.criteria.length > 0 ? ` · score ${score}` : ''}${isTied ? ' · tied' : ''}`,
    },
    {
      name: 'Place',
      share: 1.2,
      cell: ({ id, entrant }) => (
        <NativeSelect
          aria-label={`Place of ${entrant}`}
          value={places[id] ?? ''}
          onChange={(event) => choose(id, event.target.value)}
        >
          <option value="">None</option>
          {[1, 2, 3].map((place) => (
            <option key={place} value={place}>
              {placeWords(place)}
            </option>
          ))}
        </NativeSelect>
      ),
    },
  ]
}

/** Returns the sum of a judge's scores for an entry; undefined if the judge gave no score. */
function scoreOf(marks: JointRow['marks'], judge: string, { criteria }: JointResult): number | undefined {
  const scores = marks.find((mark) => mark.judge === judge)?.scores ?? {}
  const given = criteria.flatMap(({ id }) => scores[id] ?? [])
  return given.length === 0 ? undefined : given.reduce((sum, score) => sum + score, 0)
}

function markText(place: number | null | undefined, score: number | undefined): string {
  const texts = [place ? placeWords(place) : '', score === undefined ? '' : `score ${score}`]
  return texts.filter(Boolean).join(' · ') || '-'
}
