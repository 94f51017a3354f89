import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { AreaField, CheckField, SelectField, TextField } from '@/components/fields'
import { NameField } from '@/components/NameField'
import { SearchField } from '@/components/SearchField'
import { get } from '@/lib/api'
import { useCatalog } from '@/lib/catalog'
import { functionsKey, type EdgeFunction } from '@/lib/functions'
import { SqlForm } from './SqlForm'
import { defaultName } from './trigger-sql'
import {
  areHeaders,
  createWebhook,
  emptyWebhook,
  isTimeout,
  isUrl,
  isWhole,
  webhookEvents,
  type WebhookDraft,
} from './webhook-sql'

/** Form for a new webhook, which is a trigger that sends the changed row to a URL. */
export function NewWebhook({ schema, onClose }: { schema: string; onClose: () => void }) {
  const [draft, setDraft] = useState(emptyWebhook)
  // Until the user writes a name, it is that of the table.
  const [isNamed, setNamed] = useState(false)
  const set = (part: Partial<WebhookDraft>) => setDraft((before) => ({ ...before, ...part }))
  const tables = useCatalog('diagram', schema).data?.rows ?? []
  const urls = useFunctionUrls()
  return (
    <SqlForm
      title="New webhook"
      description="After each change of a row, the server sends the row to the URL. The trigger’s definition contains the headers."
      change={isWhole(draft) && tables.some(({ name }) => name === draft.table) ? createWebhook(schema, draft) : undefined}
      missing="A webhook needs a name, a table, an event and a URL."
      isDirty={draft !== emptyWebhook}
      onClose={onClose}
    >
      <NameField
        label="Table"
        names={tables.map(({ name }) => name)}
        value={draft.table}
        onChange={(table) => set({ table, ...(isNamed ? {} : { name: defaultName(table, 'webhook') }) })}
      />
      <TextField
        label="Name"
        value={draft.name}
        onChange={(name) => {
          setNamed(true)
          set({ name })
        }}
        maxLength={63}
        autoComplete="off"
        spellCheck={false}
      />
      <fieldset className="grid gap-1">
        <legend className="text-small font-strong">Events</legend>
        <div className="flex flex-wrap gap-x-5">
          {webhookEvents.map((event) => (
            <CheckField
              key={event}
              label={event}
              checked={draft.events.includes(event)}
              onChange={(isChosen) =>
                set({ events: webhookEvents.filter((one) => (one === event ? isChosen : draft.events.includes(one))) })
              }
            />
          ))}
        </div>
      </fieldset>
      <SelectField
        label="Method"
        value={draft.method}
        onChange={(method) => set({ method: method === 'GET' ? 'GET' : 'POST' })}
      >
        <option value="POST">POST, with the row as JSON</option>
        <option value="GET">GET, without the row</option>
      </SelectField>
      <SearchField
        label="URL"
        hint="Any URL, or a function of this project. A function that requires sign-in or a key needs the header Authorization."
        value={draft.url}
        onChange={(url) => set({ url })}
        find={(text) => urls.filter(({ value }) => value.includes(text.trim()))}
      />
      {draft.url !== '' && !isUrl(draft.url) && <Fault>Write a URL that begins with https:// or http://</Fault>}
      <AreaField
        label="Headers (JSON)"
        value={draft.headers}
        onChange={(headers) => set({ headers })}
        error={areHeaders(draft.headers) ? undefined : 'Write a JSON object whose values are texts.'}
        rows={3}
        controlClassName="font-mono"
        spellCheck={false}
      />
      <TextField
        label="Timeout in milliseconds"
        value={draft.timeout}
        onChange={(timeout) => set({ timeout })}
        error={isTimeout(draft.timeout) ? undefined : 'Write a whole number from 1 to 999999.'}
        inputMode="numeric"
        controlClassName="max-w-40 tabular-nums"
        autoComplete="off"
      />
    </SqlForm>
  )
}

const Fault = ({ children }: { children: string }) => (
  <p role="status" className="text-floor font-strong text-destructive">
    {children}
  </p>
)

/** Suggestions for the URL: the URLs of the project's functions. */
function useFunctionUrls() {
  const functions = useQuery({ queryKey: functionsKey, queryFn: ({ signal }) => get<EdgeFunction[]>('/functions', {}, signal) })
  const project = useQuery({
    queryKey: ['project'],
    queryFn: ({ signal }) => get<{ api: { functions: string } }>('/project', {}, signal),
  })
  const base = project.data?.api.functions
  if (base === undefined) return []
  return (functions.data ?? []).map(({ name, verify_jwt }) => ({
    value: `${base}/${name}`,
    note: verify_jwt ? 'requires sign-in or a key' : 'open',
  }))
}
