import { History } from 'lucide-react'
import { Link } from 'react-router'
import { when as moment } from '@/components/form/DraftNote'
import { when } from '@/lib/content-template'
import { entryAddress, entryPage } from '@/lib/entry-link'
import { forgetSentEntries, useSentEntries, type SentFromHere } from '@/lib/sent-entries'
import { getContent } from '@/lib/site-content'

const names: Record<string, string> = {
  'young-citizen': 'a Young Citizen nomination',
  'young-musician': 'a Young Musician entry',
  'young-photographer': 'a Young Photographer entry',
  'young-artist': 'a Young Artist entry',
}

interface SentEntriesProps {
  /** The form whose entries are listed; undefined for all forms. */
  form?: string
}

/**
 * The entries that were sent from this device, with a link to each entry, and a button that removes the links from the device. The page must
 * not show the content of an entry, because the next visitor may be another person.
 */
export function SentEntries({ form }: SentEntriesProps) {
  const entries = useSentEntries().filter((entry) => form === undefined || entry.form === form)
  if (entries.length === 0 || getContent().entries.isClosed) return null
  return (
    <section aria-label="Sent from this device" className="mb-8 flex gap-3 rounded bg-secondary px-4 py-3.5 text-base">
      <History aria-hidden className="mt-0.5 shrink-0" />
      <div className="grid min-w-0 gap-1">
        <ul>
          {entries.map((entry) => (
            <SentEntry key={entry.token} entry={entry} />
          ))}
        </ul>
        <button
          type="button"
          onClick={() => entries.forEach(({ token }) => forgetSentEntries(token))}
          className="min-h-11 justify-self-start text-left text-foreground underline underline-offset-4 hover:decoration-3"
        >
          This is a shared device: forget {entries.length === 1 ? 'it' : 'them'}
        </button>
      </div>
    </section>
  )
}

function SentEntry({ entry: { form, token, sentAt } }: { entry: SentFromHere }) {
  const name = names[form] ?? 'an entry'
  return (
    <li>
      You sent {name} {moment(new Date(sentAt))}.{' '}
      <a
        href={entryAddress(token, '')}
        className="inline-flex min-h-11 items-center font-strong underline underline-offset-4"
        aria-label={`Open ${name}, sent ${moment(new Date(sentAt))}`}
      >
        Open it
      </a>
    </li>
  )
}

/** For a sender who uses another device, or whose device no longer has the link. */
export function SentBefore() {
  return when(
    getContent().entries.isClosed,
    () => null,
    <p className="no-print mt-8">
      Sent an entry before?{' '}
      <Link to={entryPage} className="inline-flex min-h-11 items-center underline underline-offset-4">
        See it, correct it or add files
      </Link>
    </p>,
  )
}
