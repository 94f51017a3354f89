import type { ReactNode } from 'react'
import { placeTitle } from '../files/bucket'
import { isAwardName, awardNames } from '../shared/award'
import type { SeasonPlan as Plan } from './queries/season-plan'

/** The numbers of rows and files that will be deleted. The names of the files are shown on request. */
export function SeasonPlan({ plan }: { plan: Plan }) {
  const { entries, files, mails } = plan
  if (entries.length + files.length + mails.length === 0) return <p>Nothing of this season is stored any more.</p>
  return (
    <div className="grid gap-4">
      <Part title="Entries" total={sum(entries.map((row) => row.entries))}>
        {entries.map((row) => (
          <li key={`${row.award} ${row.category}`}>
            {isAwardName(row.award) ? awardNames[row.award].label : row.award}, {row.category}: {row.entries}
          </li>
        ))}
      </Part>
      <Part title="Mails" total={sum(mails.map((row) => row.mails))}>
        {mails.map((row) => (
          <li key={row.kind}>
            {row.kind}: {row.mails}
          </li>
        ))}
      </Part>
      <Part title="Files" total={files.length}>
        {files.length > 0 ? (
          <li>
            <details>
              <summary className="cursor-pointer py-1 underline">Show the files</summary>
              <ul
                tabIndex={0}
                aria-label="Files"
                className="max-h-48 overflow-y-auto border p-2 text-small [overflow-wrap:anywhere]"
              >
                {files.map(({ bucket_id, name }) => (
                  <li key={`${bucket_id}/${name}`}>
                    {placeTitle(bucket_id, name)}: {name}
                  </li>
                ))}
              </ul>
            </details>
          </li>
        ) : null}
      </Part>
    </div>
  )
}

function Part({ title, total, children }: { title: string; total: number; children: ReactNode }) {
  return (
    <section>
      <h3 className="font-sans text-[1.0625rem] leading-snug font-bold tracking-normal">
        {title}: {total}
      </h3>
      <ul>{children}</ul>
    </section>
  )
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
