import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Json } from '@/components/Copy'
import { DataTable } from '@/components/DataTable'
import { Dialog } from '@/components/Dialog'
import { Section } from '@/components/Page'
import { CheckField } from '@/components/fields'
import { useReviewSql } from '@/components/ReviewSql'
import { RowButton } from '@/components/RowButton'
import { Empty, Result } from '@/components/states'
import { get, path } from '@/lib/api'
import { formatCount, formatExactTime } from '@/lib/format'
import type { Queue, QueueMessage } from '@/lib/jobs'
import { useMay } from '@/lib/session'
import { dropQueue, purgeQueue } from './job-sql'
import { NewQueue } from './NewQueue'
import { SendMessage } from './SendMessage'

export function Queues() {
  const [open, setOpen] = useState<string>()
  const [isAdding, setAdding] = useState(false)
  const mayChange = useMay('developer')
  const queues = useQuery({
    queryKey: ['queues'],
    queryFn: ({ signal }) => get<{ available: boolean; queues: Queue[] }>('/queues', {}, signal),
  })
  const add = queues.data?.available && mayChange && (
    <Button variant="outline" size="compact" onClick={() => setAdding(true)}>
      <Plus aria-hidden />
      New queue
    </Button>
  )
  return (
    <Section title="Queues" actions={add}>
      <Result query={queues} what="the queues">
        {({ available, queues: all }) => (
          <>
            {!available && <Empty title="This database has no queues." />}
            {available && all.length === 0 && (
              <Empty title="There are no queues.">A queue keeps messages until a program has read and removed them.</Empty>
            )}
            {all.length > 0 && (
              <DataTable
                label="Queues"
                rows={all}
                rowKey={({ name }) => name}
                columns={[
                  { name: 'Queue', cell: ({ name }) => <RowButton onClick={() => setOpen(name)}>{name}</RowButton> },
                  { name: 'Waiting', isNumber: true, cell: ({ length }) => formatCount(length) },
                  { name: 'Ready', isNumber: true, cell: ({ visible }) => formatCount(visible) },
                  {
                    name: 'Oldest',
                    isNumber: true,
                    cell: ({ oldest_seconds }) => (oldest_seconds ? `${formatCount(oldest_seconds)} s` : '–'),
                  },
                  { name: 'Archived', isNumber: true, cell: ({ archived }) => formatCount(archived) },
                ]}
              />
            )}
            {isAdding && <NewQueue onClose={() => setAdding(false)} />}
            {open !== undefined && <Messages queue={open} onClose={() => setOpen(undefined)} />}
          </>
        )}
      </Result>
    </Section>
  )
}

function Messages({ queue, onClose }: { queue: string; onClose: () => void }) {
  const [isArchived, setArchived] = useState(false)
  const mayChange = useMay('developer')
  const review = useReviewSql()
  const messages = useQuery({
    queryKey: ['queues', queue, isArchived],
    queryFn: ({ signal }) =>
      get<{ messages: QueueMessage[] }>(path`/queues/${queue}/messages`, { limit: 50, archived: isArchived }, signal),
  })
  return (
    <Dialog
      title={queue}
      description="Looking takes nothing out of the queue."
      place="side"
      onClose={onClose}
      footer={
        mayChange && (
          <>
            <Button variant="outline" size="compact" onClick={() => review(purgeQueue(queue))}>
              Delete all messages
            </Button>
            <Button variant="outline" size="compact" onClick={() => review({ ...dropQueue(queue), onDone: onClose })}>
              Drop the queue
            </Button>
          </>
        )
      }
    >
      {mayChange && <SendMessage queue={queue} />}
      <CheckField label="Show the archive" checked={isArchived} onChange={setArchived} />
      <Result query={messages} what="the messages">
        {(data) =>
          data.messages.length === 0 ? (
            <Empty title="There are no messages." />
          ) : (
            <ul className="grid gap-3">
              {data.messages.map(({ id, enqueued_at, reads, message }) => (
                <li key={id} className="grid gap-1">
                  <p className="text-small text-muted-foreground">
                    {id}, {formatExactTime(enqueued_at)}, read {reads} times
                  </p>
                  <Json value={message} label={`Message ${id}`} />
                </li>
              ))}
            </ul>
          )
        }
      </Result>
    </Dialog>
  )
}
