import { useQuery } from '@tanstack/react-query'
import { Button } from '@cloch/ui/components/button'
import { seasonsQuery } from '../seasons/queries/list-seasons'
import { useSeasonDialogs } from '../seasons/use-season-dialogs'
import { siteDatesQuery } from './queries'

/** The season's dates as visitors see them, with a link to the form in which they are edited. */
export function SeasonDates() {
  const { data: texts } = useQuery(siteDatesQuery)
  const { data: seasons = [] } = useQuery(seasonsQuery)
  const season = useSeasonDialogs()
  if (!texts) return null
  // The list begins with the latest season.
  const coming = seasons.findLast(({ ends_at }) => Date.parse(ends_at) > texts.readAt)
  const last = seasons[0]
  const rows = [
    ['Nominations open', texts.opens],
    ['Deadline', texts.deadline],
    ['Ceremony', `${texts.ceremony}, ${texts.ceremonyTime}`],
    ['Ages are counted on', texts.ageDate],
  ]
  return (
    <section aria-labelledby="season-dates" className="mb-6 grid gap-3 rounded bg-secondary p-4">
      <h3 id="season-dates" className="font-sans text-[1.0625rem] leading-snug font-bold tracking-normal">
        Dates of the season
      </h3>
      <dl className="grid gap-x-6 gap-y-1 sm:grid-cols-[auto_1fr]">
        {rows.map(([term, value]) => (
          <div key={term} className="contents">
            <dt>{term}</dt>
            <dd className="font-strong">{value}</dd>
          </div>
        ))}
      </dl>
      <p className="text-muted-foreground">
        {coming
          ? `They are those of the season ${coming.name}, and change for visitors as soon as the season is saved.`
          : last
            ? `They are those of the season ${last.name}, which is over. Add the next season to set its dates.`
            : 'They are those of the rules. Add a season to set its own dates: the forms then open and close by them.'}
      </p>
      <Button
        size="sm"
        variant="outline"
        className="justify-self-start"
        onClick={() => (coming ? season.edit(coming) : season.add())}
      >
        {coming ? `Edit the season ${coming.name}` : 'Add Season'}
      </Button>
      {season.dialog}
    </section>
  )
}
