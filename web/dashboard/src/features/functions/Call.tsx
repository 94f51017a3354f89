import { useMutation } from '@tanstack/react-query'
import { useRef, useState, type SyntheticEvent } from 'react'
import { Button } from '@cloch/ui/components/button'
import { AsPicker } from '@/components/AsPicker'
import { AreaField, SelectField, TextField } from '@/components/fields'
import { Section } from '@/components/Page'
import { Empty, Failed } from '@/components/states'
import { path, post } from '@/lib/api'
import { useMay } from '@/lib/session'
import { CallLog } from './CallLog'
import { Response } from './Response'
import { PairList } from './PairList'
import { firstDraft, hasBody, methods, problemOf, requestOf, type BodyKind, type CallResponse, type Draft } from './call'

/** Calls the function as a chosen caller, and shows the response and the log lines of the call. */
export function Call({ name, onCalled }: { name: string; onCalled: () => void }) {
  const mayCall = useMay('developer')
  const [draft, setDraft] = useState(firstDraft)
  const [problem, setProblem] = useState<ReturnType<typeof problemOf>>()
  const running = useRef<AbortController>(undefined)
  const call = useMutation<CallResponse, Error, Draft>({
    mutationFn: (asked) => {
      running.current = new AbortController()
      return post<CallResponse>(path`/functions/${name}/call`, requestOf(asked), running.current.signal)
    },
    onSuccess: onCalled,
  })
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    const found = problemOf(draft)
    setProblem(found)
    if (!found) call.mutate(draft)
  }
  if (!mayCall)
    return (
      <Empty title="Your role does not allow calls.">
        A call runs the function’s code, which may change data. Developers and owners can call it here.
      </Empty>
    )
  const wasCancelled = call.error instanceof DOMException && call.error.name === 'AbortError'
  return (
    <div className="grid items-start gap-8 xl:grid-cols-[26rem_minmax(0,1fr)]">
      <Section title="The call">
        <form className="grid min-w-0 gap-4" onSubmit={submit}>
          <CallFields name={name} draft={draft} problem={problem} onChange={change} />
          <div className="flex flex-wrap gap-2">
            <Button type="submit" size="compact" disabled={call.isPending} aria-busy={call.isPending}>
              {call.isPending ? 'Calling…' : 'Call'}
            </Button>
            {call.isPending && (
              <Button variant="outline" size="compact" onClick={() => running.current?.abort()}>
                Cancel
              </Button>
            )}
          </div>
        </form>
      </Section>
      <div className="grid min-w-0 gap-8">
        <Section title="The response">
          {call.isPending && (
            <p role="status" className="text-muted-foreground">
              Waiting for the function…
            </p>
          )}
          {call.isIdle && <Empty title="There was no call yet." />}
          {call.isError && (wasCancelled ? <Empty title="The call was cancelled." /> : <Failed error={call.error} />)}
          {call.data && <Response key={call.data.request_id} name={name} response={call.data} />}
        </Section>
        {call.data && (
          <Section title="Its log">
            <CallLog key={call.data.request_id} name={name} response={call.data} />
          </Section>
        )}
      </div>
    </div>
  )
}

interface CallFieldsProps {
  name: string
  draft: Draft
  problem: ReturnType<typeof problemOf>
  onChange: (part: Partial<Draft>) => void
}

const bodyKinds: readonly [BodyKind, string][] = [
  ['json', 'JSON'],
  ['text', 'Text'],
  ['none', 'None'],
]

function CallFields({ name, draft, problem, onChange }: CallFieldsProps) {
  return (
    <>
      <div className="grid gap-1">
        <AsPicker value={draft.as} onChange={(as) => onChange({ as })} roles={['anon', 'service_role']} label="As" />
        {problem?.field === 'as' && (
          <p role="alert" className="text-floor font-strong text-destructive">
            {problem.text}
          </p>
        )}
      </div>
      <div className="grid grid-cols-[7rem_minmax(0,1fr)] gap-3">
        <SelectField label="Method" value={draft.method} onChange={(method) => onChange({ method })}>
          {methods.map((method) => (
            <option key={method}>{method}</option>
          ))}
        </SelectField>
        <TextField
          label={`Path below ${name}`}
          value={draft.path}
          onChange={(below) => onChange({ path: below })}
          placeholder="/"
          controlClassName="font-mono"
          spellCheck={false}
          autoComplete="off"
        />
      </div>
      <PairList title="Query" one="parameter" pairs={draft.query} onChange={(query) => onChange({ query })} />
      <PairList title="Headers" one="header" pairs={draft.headers} onChange={(headers) => onChange({ headers })} />
      {hasBody(draft.method) && (
        <>
          <SelectField
            label="Kind of body"
            value={draft.bodyKind}
            onChange={(kind) => onChange({ bodyKind: bodyKinds.find(([one]) => one === kind)?.[0] ?? 'none' })}
          >
            {bodyKinds.map(([kind, word]) => (
              <option key={kind} value={kind}>
                {word}
              </option>
            ))}
          </SelectField>
          {draft.bodyKind !== 'none' && (
            <AreaField
              label="Body"
              value={draft.body}
              onChange={(body) => onChange({ body })}
              error={problem?.field === 'body' ? problem.text : undefined}
              controlClassName="font-mono"
              spellCheck={false}
            />
          )}
        </>
      )}
      <TextField
        label="Seconds to read the response"
        hint="A stream may never end: after this time the page shows what has come"
        type="number"
        min={1}
        max={120}
        required
        className="max-w-xs"
        value={draft.seconds}
        onChange={(seconds) => onChange({ seconds })}
      />
    </>
  )
}
