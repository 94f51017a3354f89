import { Link } from 'react-router'
import { getSettings } from '@/lib/config'
import { when } from '@/lib/content-template'
import { getContent } from '@/lib/site-content'
import { Button } from '@cloch/ui/components/button'

/** The date on which entries closed, and the date on which they open again. */
export function ClosedSentence() {
  const { closedOn, opensOn } = getContent().entries
  return (
    <>
      {when(closedOn, (day) => (
        <>Entries closed at the end of {day}. </>
      ))}
      {when(
        opensOn,
        (day) => (
          <>Entries open on {day}.</>
        ),
        <>The dates of the next season will be on this page.</>,
      )}
    </>
  )
}

/** Shown instead of a form while entries are closed. */
export function ClosedEntries({ reason }: { reason?: string | undefined }) {
  const { clubEmail } = getSettings()
  return (
    <section aria-labelledby="closed" className="band grid max-w-[36em] justify-items-start gap-4 pt-5">
      <h2 id="closed" className="text-h2">
        Entries are closed
      </h2>
      {reason === undefined ? null : (
        <p role="status" className="font-strong">
          {reason}
        </p>
      )}
      <p>
        <ClosedSentence />
      </p>
      <p>
        Something got in the way, or a file is missing? Write to <a href={`mailto:${clubEmail}`}>{clubEmail}</a>. The club can
        send you a link for one late entry. What you have typed into a form stays on this device.
      </p>
      <Button asChild variant="outline">
        <Link to="/youth-awards">Youth Awards</Link>
      </Button>
    </section>
  )
}
