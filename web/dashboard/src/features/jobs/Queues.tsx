import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Json } from '@/components/Copy'
import { DataTable } from '@/components/DataTable'
import { Dialog } from '@/components/Dialog'
import { CheckField } from '@/components/fields'
import { RowButton } from '@/components/RowButton'
import { Empty, Result } from '@/components/states'
import { get, path } from '@/lib/api'
import { formatCount, formatExactTime } from '@/lib/format'
import type { Queue, QueueMessage } from '@/lib/jobs'

export function Queues() {
  const [open, setOpen] = useState<string>()
  const queues = useQuery({
    queryKey: ['queues'],
    queryFn: ({ signal }) => get<{ available: boolean; queues: Queue[] }>('/queues', {}, signal),
  })
  return (
    <Result query={queues} what="the queues">
      {({ available, queues: all }) => (
        <>
          {!available && <Empty title="This database has no queues." />}
          {available && all.length === 0 && (
            <Empty title="There are no queues.">
              One is made by <code>select pgmq.create('name');</code>
            </Empty>
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
          {open !== undefined && <Messages queue={open} onClose={() => setOpen(undefined)} />}
        </>
      )}
    </Result>
  )
}

function Messages({ queue, onClose }: { queue: string; onClose: () => void }) {
  const [isArchived, setArchived] = useState(false)
  const messages = useQuery({
    queryKey: ['queues', queue, isArchived],
    queryFn: ({ signal }) =>
      get<{ messages: QueueMessage[] }>(path`/queues/${queue}/messages`, { limit: 50, archived: isArchived }, signal),
  })
  return (
    <Dialog title={queue} description="Looking takes nothing out of the queue." place="side" onClose={onClose}>
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
