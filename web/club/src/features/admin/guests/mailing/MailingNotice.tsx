import { Button } from '@cloch/ui/components/button'
import { Progress } from '@cloch/ui/components/progress'
import type { useMailing } from './use-mailing'

/** Progress of a mailing, with buttons that stop and resume it. */
export function MailingNotice({ mailing, running, stop, resume, discard }: ReturnType<typeof useMailing>) {
  if (!mailing) return null
  const done = mailing.sent.length + mailing.failed.length
  const all = done + mailing.waiting.length
  return (
    <section aria-label="Mailing" className="mb-6 grid gap-3 rounded border-[1.5px] border-input bg-card p-4">
      <p role="status">
        {running ? 'Sending' : 'Stopped'}: <b className="tabular-nums">{`${done} of ${all}`}</b> emails
        {mailing.failed.length > 0 ? `, ${mailing.failed.length} failed` : ''}
      </p>
      <Progress share={done / all} label="Emails sent" />
      <div className="flex flex-wrap gap-2.5">
        {running ? (
          <Button size="sm" variant="outline" onClick={stop}>
            Stop
          </Button>
        ) : (
          <>
            <Button size="sm" onClick={resume}>
              Go on with the other {mailing.waiting.length}
            </Button>
            <Button size="sm" variant="outline" onClick={discard}>
              Leave it
            </Button>
          </>
        )}
      </div>
    </section>
  )
}
