import { SectionHead } from '@/components/SectionHead'
import { each, when } from '@/lib/content-template'
import { getContent } from '@/lib/site-content'

/** The speakers of the season: a table with a group for each month, or a list on phones. */
export function SpeakerSchedule() {
  const { speakers, texts } = getContent()
  return (
    <section id="speakers" aria-labelledby="speakers-title" className="scroll-mt-4 bg-card">
      <div className="section wrap">
        <SectionHead
          id="speakers-title"
          title={texts.speakersTitle}
          intro="Thursdays at 7:00 PM at the golf club. Visitors are welcome."
        />
        <table className="w-full border-collapse text-left max-md:block">
          <thead className="border-b-3 border-foreground max-md:sr-only">
            <tr>
              {['Date', 'Speaker', 'Notes'].map((head) => (
                <th key={head} scope="col" className="py-3 pr-4 font-normal text-muted-foreground">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          {each(speakers, ({ month, rows }) => (
            <tbody className="max-md:block">
              <tr className="max-md:block">
                <th scope="rowgroup" colSpan={3} className="pt-7 pb-2 font-display text-h3 font-bold max-md:block">
                  {month}
                </th>
              </tr>
              {each(rows, ({ date, shortDate, speaker, notes }) => (
                <tr className="border-t max-md:grid max-md:grid-cols-[4.5rem_1fr] max-md:py-2.5">
                  <th scope="row" className="font-strong whitespace-nowrap md:w-56 md:py-3 md:pr-4">
                    <span className="md:hidden">{shortDate}</span>
                    <span className="max-md:hidden">{date}</span>
                  </th>
                  <td className="md:py-3 md:pr-4">{when(speaker, (name) => name, '-')}</td>
                  <td className="text-muted-foreground max-md:col-start-2 max-md:empty:hidden md:py-3">{notes}</td>
                </tr>
              ))}
            </tbody>
          ))}
        </table>
      </div>
    </section>
  )
}
