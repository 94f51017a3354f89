import { useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Confirm } from '@/components/Confirm'
import { Dialog } from '@/components/Dialog'
import { Facts } from '@/components/Facts'
import { Result } from '@/components/states'
import { apiUrl, get, path, remove } from '@/lib/api'
import { formatBytes, formatTime } from '@/lib/format'
import { useMay } from '@/lib/session'
import { useAction } from '@/lib/use-action'
import { mailKey, type MessageDetail } from './contract'

/** A mail. It is shown in a sandboxed frame, which runs no scripts and loads nothing. */
export function MessagePanel({ id, onClose }: { id: string; onClose: () => void }) {
  const message = useQuery({
    queryKey: [...mailKey, 'one', id],
    queryFn: ({ signal }) => get<MessageDetail>(path`/mail/${id}`, {}, signal),
  })
  return (
    <Dialog title={message.data?.subject ?? 'Message'} place="side" onClose={onClose} className="w-[min(46rem,100vw)]">
      <Result query={message} what="the message">
        {(data) => <Body message={data} onGone={onClose} />}
      </Result>
    </Dialog>
  )
}

function Body({ message, onGone }: { message: MessageDetail; onGone: () => void }) {
  const [isAsked, setAsked] = useState(false)
  const mayChange = useMay('developer')
  const drop = useAction(() => remove(path`/mail/${message.id}`), {
    done: 'The message is removed',
    failed: 'The message was not removed',
    refresh: [mailKey],
    onDone: onGone,
  })
  return (
    <>
      <Facts
        facts={[
          ['From', message.from],
          ['To', message.to.join(', ')],
          ['Written', formatTime(message.created_at)],
          ['State', `${message.state}${message.attempts > 1 ? `, ${message.attempts} attempts` : ''}`],
          ...(message.sent_at ? [['Sent', formatTime(message.sent_at)] as const] : []),
          ...(message.last_error ? [[message.state === 'sent' ? 'Earlier error' : 'Error', message.last_error] as const] : []),
        ]}
      />
      <iframe
        title="The message as it looks"
        sandbox=""
        src={apiUrl(path`/mail/${message.id}/html`)}
        className="h-112 w-full rounded border bg-white"
      />
      {message.text && (
        <details>
          <summary className="cursor-pointer font-strong">As plain text</summary>
          <pre className="whitespace-pre-wrap">{message.text}</pre>
        </details>
      )}
      {message.attachments.length > 0 && (
        <ul>
          {message.attachments.map(({ position, filename, bytes }) => (
            <li key={position}>
              <a href={apiUrl(path`/mail/${message.id}/attachments/${position}`)} download={filename}>
                {filename}
              </a>{' '}
              ({formatBytes(bytes)})
            </li>
          ))}
        </ul>
      )}
      {mayChange && (
        <Button variant="outline" size="compact" className="justify-self-start" onClick={() => setAsked(true)}>
          <Trash2 aria-hidden />
          Remove
        </Button>
      )}
      {isAsked && (
        <Confirm
          title="Remove this message?"
          confirm="Remove"
          isPending={drop.isPending}
          onConfirm={() => drop.mutate()}
          onClose={() => setAsked(false)}
        >
          A message that waits is then never sent.
        </Confirm>
      )}
    </>
  )
}
