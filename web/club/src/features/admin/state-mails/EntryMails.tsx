import { useQuery } from '@tanstack/react-query'
import { formatMoment } from '@/lib/dates'
import { entryMailsQuery } from './queries/state-mails'
import { stateLabels, type MailedEntry, type MailState } from './states'

/** The mails that were sent about an entry, as a part of the entry's history. */
export function EntryMails({ entry }: { entry: MailedEntry }) {
  const { data: mails = [] } = useQuery(entryMailsQuery)
  return mails
    .filter((mail) => mail.entry === entry.id)
    .map(({ id, state, created_at, sent_by }) => (
      <p key={id}>
        Mail “{stateLabels[state as MailState]}” sent on {formatMoment(created_at)}
        {sent_by === null ? '' : ` by ${sent_by}`}.
      </p>
    ))
}
