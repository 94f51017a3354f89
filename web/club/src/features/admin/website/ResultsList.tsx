import { useQuery } from '@tanstack/react-query'
import { Button } from '@cloch/ui/components/button'
import { formatMoment } from '@/lib/dates'
import { placeWords } from '../shared/place'
import { useShownSeason } from '../seasons/season-view'
import { awardNames, isAwardName } from '../shared/award'
import { BlockTable, type Column } from '../shared/BlockTable'
import { Empty } from '../shared/Empty'
import { ListState } from '../shared/ListState'
import { resultsQuery, useRemoveResult, useTakeResults, type ListedResult } from './results'

/** Shown for an entry that was withdrawn, or that has no consent to publicity any more. */
const hidden = 'Not shown: no consent, or withdrawn'

/** The entries on the results page, and the pictures of the gallery. */
export function ResultsList() {
  const results = useQuery(resultsQuery)
  const season = useShownSeason()
  const take = useTakeResults(season)
  const remove = useRemoveResult()
  const columns: Column<ListedResult>[] = [
    { name: 'Name', cell: ({ name }) => name ?? hidden, lead: true },
    { name: 'Award', cell: ({ award }) => (isAwardName(award) ? awardNames[award].label : award) },
    { name: 'Shown as', cell: shownAs },
    { name: 'Published', cell: published },
    { name: 'Picture', cell: ({ picture }) => (picture === null ? 'no' : 'yes') },
    {
      name: 'Actions',
      corner: true,
      cell: (row) => (
        <Button
          size="sm"
          variant="ghost"
          disabled={remove.isPending}
          aria-label={`Remove ${row.name ?? 'the entry'}`}
          onClick={() => remove.mutate(row)}
        >
          Remove
        </Button>
      ),
    },
  ]
  return (
    <ListState query={results} failed="Failed to load the website’s content">
      {(all) => (
        <div className="flex flex-col">
          {/* On a phone, the explanation is below the list, so that the first result is on the first screen. */}
          <p className="mb-3 max-w-[38em] max-md:order-last max-md:mt-4">
            Only entries whose consent to publicity is recorded are taken. One that is withdrawn, or whose consent is taken
            back, is gone from the website at once, without publishing. One that its sender corrects is gone until you publish
            again. The list has at most 500 results and 500 pictures.
          </p>
          <div className="mb-3 flex flex-wrap justify-end gap-2.5">
            <Button size="sm" variant="outline" disabled={take.isPending} onClick={() => take.mutate(false)}>
              Add the results of {season.name}
            </Button>
            <Button size="sm" variant="outline" disabled={take.isPending} onClick={() => take.mutate(true)}>
              Add all pictures of {season.name}
            </Button>
          </div>
          {all.length === 0 ? <Empty>Nothing here yet</Empty> : <BlockTable label="Results" columns={columns} rows={all} />}
        </div>
      )}
    </ListState>
  )
}

function published({ name, is_published, corrected_at }: ListedResult): string {
  if (name === null) return '-'
  if (is_published) return 'yes'
  return corrected_at === null ? 'no' : `no: changed by its sender on ${formatMoment(corrected_at)}`
}

function shownAs({ kind, place, category, name }: ListedResult): string {
  if (name === null) return '-'
  if (kind === 'picture') return 'in the gallery'
  return `${place === null ? 'Winner' : placeWords(place)}, ${category ?? ''}`
}
