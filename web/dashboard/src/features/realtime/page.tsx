import { useState, type SyntheticEvent } from 'react'
import { Link } from 'react-router'
import { Badge } from '@cloch/ui/components/badge'
import { Button } from '@cloch/ui/components/button'
import { AsPicker } from '@/components/AsPicker'
import { DataTable } from '@/components/DataTable'
import { AreaField, CheckField, TextField } from '@/components/fields'
import { Page, Section } from '@/components/Page'
import { Empty } from '@/components/states'
import type { As } from '@/lib/as'
import { formatClock } from '@/lib/format'
import { useMay } from '@/lib/session'
import { useChannel, type Wanted } from './use-channel'

/** Page that joins a realtime channel with the rights of a chosen caller and shows the events. */
export function Component() {
  const mayJoin = useMay('developer')
  return (
    <Page
      title="Realtime"
      lede="Joins a channel as anybody, and shows what that client would get: broadcasts, presence, and changes of rows."
    >
      {mayJoin ? <Inspector /> : <Empty title="Developers and owners can join channels." />}
    </Page>
  )
}

function Inspector() {
  const [as, setAs] = useState<As>({ role: 'anon' })
  const [wanted, setWanted] = useState<Wanted>({ topic: '', isPrivate: false, schema: 'public', table: '' })
  const { state, events, problem, join, leave, send } = useChannel()
  const change = (part: Partial<Wanted>) => setWanted((before) => ({ ...before, ...part }))
  const isOn = state !== 'closed'
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    void join(as, wanted)
  }
  return (
    <div className="grid items-start gap-8 xl:grid-cols-[24rem_minmax(0,1fr)]">
      <Section title="The channel" actions={<Badge tone={state === 'joined' ? 'success' : 'muted'}>{state}</Badge>}>
        <form className="grid gap-4" onSubmit={submit}>
          <AsPicker value={as} onChange={setAs} roles={['anon', 'service_role']} label="As" />
          <TextField label="Topic" required value={wanted.topic} onChange={(topic) => change({ topic })} />
          <CheckField
            label="Private"
            hint="Policies on realtime.messages say who may join"
            checked={wanted.isPrivate}
            onChange={(isPrivate) => change({ isPrivate })}
          />
          <TextField
            label="Changes of the table (optional)"
            hint="Its name, or * for all of the schema public"
            value={wanted.table}
            onChange={(table) => change({ table })}
          />
          <div className="flex gap-2">
            <Button type="submit" size="compact" disabled={isOn}>
              Join
            </Button>
            <Button variant="outline" size="compact" disabled={!isOn} onClick={leave}>
              Leave
            </Button>
          </div>
          {problem !== undefined && (
            <p role="alert" className="border-l-6 border-destructive bg-destructive-wash p-3 text-destructive">
              {problem}
            </p>
          )}
        </form>
        <Broadcast isOn={state === 'joined'} onSend={send} />
      </Section>
      <Section title="Events">
        {events.length === 0 ? (
          <Empty title={isOn ? 'Nothing has come yet.' : 'Join a channel to see what comes.'} />
        ) : (
          <DataTable
            label="Messages of the channel"
            rows={events}
            rowKey={({ id }) => id}
            columns={[
              { name: 'Time', className: 'whitespace-nowrap tabular-nums align-top', cell: ({ at }) => formatClock(at) },
              { name: 'Kind', cell: ({ kind }) => kind },
              {
                name: 'Payload',
                className: 'min-w-64',
                cell: ({ payload, unpublished }) => (
                  <>
                    <code className="whitespace-pre-wrap">{JSON.stringify(payload, null, 1)}</code>
                    {unpublished && <SendChanges {...unpublished} />}
                  </>
                ),
              },
            ]}
          />
        )}
      </Section>
    </div>
  )
}

function SendChanges({ schema, table }: { schema: string; table: string }) {
  return (
    <p>
      No publication sends its changes, or there is no such table:{' '}
      <Link to={`/tables/${encodeURIComponent(schema)}/${encodeURIComponent(table)}?show=structure#publications`}>
        publications of {table}
      </Link>
    </p>
  )
}

function Broadcast({ isOn, onSend }: { isOn: boolean; onSend: (event: string, payload: unknown) => void }) {
  const [event, setEvent] = useState('hello')
  const [text, setText] = useState('{}')
  const [problem, setProblem] = useState<string>()
  const submit = (happened: SyntheticEvent) => {
    happened.preventDefault()
    try {
      onSend(event, JSON.parse(text))
      setProblem(undefined)
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <form className="mt-4 grid gap-3 border-t-3 border-foreground pt-3" onSubmit={submit}>
      <h3>Broadcast</h3>
      <TextField label="Event" required value={event} onChange={setEvent} />
      <AreaField label="Payload (JSON)" value={text} onChange={setText} error={problem} rows={3} controlClassName="font-mono" />
      <Button type="submit" variant="outline" size="compact" className="justify-self-start" disabled={!isOn}>
        Send
      </Button>
    </form>
  )
}
