import { useQuery } from '@tanstack/react-query'
import { LoadFailed } from '../shared/LoadFailed'
import { mailPreviewQuery } from './queries/state-mails'
import type { MailedEntry, MailState } from './states'

/** Preview of a state's mail for one entry. */
export function MailPreview({ entry, state }: { entry: MailedEntry; state: MailState }) {
  const preview = useQuery(mailPreviewQuery({ award: entry.award, entry: entry.id, state }))
  if (preview.isError) return <LoadFailed onRetry={() => void preview.refetch()}>Failed to load the preview</LoadFailed>
  return (
    <section aria-label={`Preview for ${entry.name}`} className="grid gap-2 rounded bg-secondary p-4 [overflow-wrap:anywhere]">
      {preview.data === undefined ? <p role="status">Loading...</p> : null}
      {preview.data === null ? <p>{entry.name} gets no mail: the entry was withdrawn or deleted.</p> : null}
      {preview.data ? (
        <>
          <p>
            To <strong className="font-strong">{preview.data.address}</strong>
          </p>
          <p className="font-strong">{preview.data.subject}</p>
          <p className="whitespace-pre-line">{preview.data.body}</p>
        </>
      ) : null}
    </section>
  )
}
