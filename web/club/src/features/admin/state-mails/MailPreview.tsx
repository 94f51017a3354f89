import type { UseQueryResult } from '@tanstack/react-query'
import { LoadFailed } from '../shared/LoadFailed'

interface MailPreviewProps {
  /** The name of the recipient or the entry. */
  name: string
  /** Query for the complete mail; null if there is no mail to send. */
  preview: UseQueryResult<{ address: string; subject: string; body: string } | null>
  /** Text that is shown if there is no mail. */
  none: string
}

/** Preview of a mail for one recipient. The database fills in the template in the same way as when the mail is sent. */
export function MailPreview({ name, preview, none }: MailPreviewProps) {
  if (preview.isError) return <LoadFailed onRetry={() => void preview.refetch()}>Failed to load the preview</LoadFailed>
  return (
    <section aria-label={`Preview for ${name}`} className="grid gap-2 rounded bg-secondary p-4 [overflow-wrap:anywhere]">
      {preview.data === undefined ? <p role="status">Loading...</p> : null}
      {preview.data === null ? <p>{none}</p> : null}
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
