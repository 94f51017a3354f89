import { useState, type SyntheticEvent } from 'react'
import { Button } from '@cloch/ui/components/button'
import { AsPicker } from '@/components/AsPicker'
import { AreaField, CheckField, SelectField, TextField } from '@/components/fields'

import type { As } from '@/lib/as'
import { useProject } from '@/lib/project'
import type { Question, RequestQuestion } from './contract'

interface QuestionFormProps {
  /** Values that the form shows at first. */
  begin: RequestQuestion | undefined
  isAsking: boolean
  onAsk: (question: Question) => void
}

const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const

export function QuestionForm({ begin, isAsking, onAsk }: QuestionFormProps) {
  const [as, setAs] = useState<As>(begin?.as ?? { role: 'anon' })
  const [kind, setKind] = useState<'request' | 'channel'>('request')
  const [parts, setParts] = useState(() => beginning(begin))
  const [problem, setProblem] = useState<string>()
  const change = (part: Partial<Parts>) => setParts((before) => ({ ...before, ...part }))
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    const body = parsed(parts.body)
    setProblem(body.problem)
    if (body.problem === undefined)
      onAsk(kind === 'channel' ? channelQuestion(as, parts) : requestQuestion(as, parts, body.value))
  }
  return (
    <form className="grid gap-4" onSubmit={submit}>
      <AsPicker value={as} onChange={setAs} roles={['anon', 'service_role']} label="Who asks" />
      <SelectField label="What is asked" value={kind} onChange={(next) => setKind(next === 'channel' ? 'channel' : 'request')}>
        <option value="request">A request to tables or files</option>
        <option value="channel">A channel of realtime</option>
      </SelectField>
      {kind === 'request' ? (
        <RequestFields parts={parts} problem={problem} onChange={change} />
      ) : (
        <ChannelFields parts={parts} onChange={change} />
      )}
      <Button type="submit" size="compact" className="justify-self-start" disabled={isAsking} aria-busy={isAsking}>
        {isAsking ? 'Asking…' : 'Ask why'}
      </Button>
    </form>
  )
}

interface Parts {
  method: string
  path: string
  body: string
  returning: boolean
  /** Name of the schema. Empty for the first exposed schema. */
  schema: string
  channel: string
  action: 'join' | 'send'
  extension: 'broadcast' | 'presence'
}

const beginning = (begin: RequestQuestion | undefined): Parts => ({
  method: begin?.method ?? 'GET',
  path: begin?.path ?? '/rest/v1/',
  body: begin?.body === undefined ? '' : JSON.stringify(begin.body, null, 2),
  returning: begin?.returning ?? false,
  schema: begin?.schema ?? '',
  channel: '',
  action: 'join',
  extension: 'broadcast',
})

interface FieldsProps {
  parts: Parts
  onChange: (part: Partial<Parts>) => void
}

function RequestFields({ parts, problem, onChange }: FieldsProps & { problem: string | undefined }) {
  const hasBody = parts.method !== 'GET' && parts.method !== 'DELETE'
  return (
    <>
      <div className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-3">
        <SelectField label="Method" value={parts.method} onChange={(method) => onChange({ method })}>
          {methods.map((method) => (
            <option key={method}>{method}</option>
          ))}
        </SelectField>
        <TextField
          label="Path"
          value={parts.path}
          onChange={(path) => onChange({ path })}
          controlClassName="font-mono"
          spellCheck={false}
          required
        />
      </div>
      <p className="text-floor text-muted-foreground">
        As a client sends it: <code>/rest/v1/notes?id=eq.1</code> or <code>/storage/v1/object/pictures/a.png</code>
      </p>
      {parts.path.startsWith('/rest/') && <SchemaField schema={parts.schema} onChange={(schema) => onChange({ schema })} />}
      {hasBody && (
        <>
          <AreaField
            label="Body (JSON)"
            hint="The log keeps no bodies: type the row here"
            value={parts.body}
            onChange={(body) => onChange({ body })}
            error={problem}
            controlClassName="font-mono"
            spellCheck={false}
          />
          <CheckField
            label="The client reads the row back"
            hint="As supabase-js does with .select(): then reading must be allowed as well"
            checked={parts.returning}
            onChange={(returning) => onChange({ returning })}
          />
        </>
      )}
    </>
  )
}

/** Field for the schema, which a client sets with `.schema()`. It is hidden if the project exposes only one schema. */
function SchemaField({ schema, onChange }: { schema: string; onChange: (schema: string) => void }) {
  const exposed = useProject().data?.schemas ?? []
  const names = [...new Set([...exposed, ...(schema === '' ? [] : [schema])])]
  if (names.length < 2) return null
  return (
    <SelectField
      label="Schema"
      hint="Another one than the first is named by .schema(), or the headers Accept-Profile and Content-Profile"
      value={schema === '' ? (names[0] ?? '') : schema}
      onChange={onChange}
    >
      {names.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </SelectField>
  )
}

function ChannelFields({ parts, onChange }: FieldsProps) {
  return (
    <>
      <TextField label="Topic" value={parts.channel} onChange={(channel) => onChange({ channel })} required />
      <SelectField
        label="Action"
        value={parts.action}
        onChange={(action) => onChange({ action: action === 'send' ? 'send' : 'join' })}
      >
        <option value="join">Join and listen</option>
        <option value="send">Send</option>
      </SelectField>
      <SelectField
        label="Extension"
        value={parts.extension}
        onChange={(extension) => onChange({ extension: extension === 'presence' ? 'presence' : 'broadcast' })}
      >
        <option value="broadcast">Broadcast</option>
        <option value="presence">Presence</option>
      </SelectField>
    </>
  )
}

function parsed(text: string): { value?: unknown; problem?: string } {
  if (text.trim() === '') return {}
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

const requestQuestion = (as: As, { method, path, returning, schema }: Parts, body: unknown): Question => ({
  as,
  method,
  path,
  returning,
  ...(schema !== '' && path.startsWith('/rest/') && { schema }),
  ...(body === undefined ? {} : { body }),
})

const channelQuestion = (as: As, { channel, action, extension }: Parts): Question => ({ as, channel, action, extension })
