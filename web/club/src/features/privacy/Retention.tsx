import { SectionHead } from '@/components/SectionHead'
import { getSettings } from '@/lib/config'
import { each, when } from '@/lib/content-template'
import { getContent } from '@/lib/site-content'

/** How long data is stored: the general rule, the data that the server deletes automatically, and the dates of the seasons from the back-office. */
export function Retention() {
  const { backupDays } = getSettings()
  return (
    <section aria-labelledby="retention">
      <SectionHead
        id="retention"
        title="How long we keep it"
        intro="For three months after the season’s event, then an administrator destroys it. From that day on the back-office reminds them until it is done; numbers without names stay."
      />
      <ul className="band">
        {each(
          getContent().retention,
          ({ season, event, due, deleted }) => (
            <li className="grid gap-1 border-b py-4.5 md:grid-cols-[15rem_1fr] md:gap-6">
              <h3 className="text-h3">{season}</h3>
              <p className="max-w-[36em] text-muted-foreground">
                {when(
                  deleted,
                  (day) => (
                    <>
                      Event on {event}. Destroyed on {day}.
                    </>
                  ),
                  <>
                    Event on {event}. To be destroyed from {due} on.
                  </>,
                )}
              </p>
            </li>
          ),
          <li className="border-b py-4.5">
            <p className="max-w-[36em] text-muted-foreground">The date of this season’s event is not set yet.</p>
          </li>,
        )}
        <li className="grid gap-1 border-b py-4.5 md:grid-cols-[15rem_1fr] md:gap-6">
          <h3 className="text-h3">Copies</h3>
          <p className="max-w-[36em] text-muted-foreground">
            Mails on the server are deleted 30 days after they were sent, exported lists after 7 days.{' '}
            {when(
              backupDays,
              (days) => (
                <>Backups are deleted after {days} days.</>
              ),
              <>Backups hold what was there when they were made, until newer ones take their place.</>,
            )}
          </p>
        </li>
      </ul>
    </section>
  )
}
