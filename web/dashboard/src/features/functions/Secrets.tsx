import { useQuery } from '@tanstack/react-query'
import { useState, type SyntheticEvent } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Confirm } from '@/components/Confirm'
import { DataTable } from '@/components/DataTable'
import { TextField } from '@/components/fields'
import { Result } from '@/components/states'
import { get, path, post, remove } from '@/lib/api'
import { useMay } from '@/lib/session'
import { useAction } from '@/lib/use-action'
import { functionsKey, type Secret } from '@/lib/functions'

const secretsKey = [...functionsKey, 'secrets']

/** The names of the functions' environment variables. A value can be set, but is never shown. */
export function Secrets() {
  const isOwner = useMay('owner')
  const [asked, setAsked] = useState<string>()
  const secrets = useQuery({ queryKey: secretsKey, queryFn: ({ signal }) => get<Secret[]>('/functions/secrets', {}, signal) })
  const drop = useAction((name: string) => remove(path`/functions/secrets/${name}`), {
    done: 'The secret is removed',
    failed: 'The secret was not removed',
    refresh: [secretsKey],
    onDone: () => setAsked(undefined),
  })
  return (
    <div className="grid gap-4">
      <Result query={secrets} what="the secrets">
        {(data) =>
          data.length === 0 ? (
            <p className="text-muted-foreground">
              There are none yet. What is set here, functions read by <code>Deno.env.get(name)</code>.
            </p>
          ) : (
            <DataTable
              label="Secrets"
              rows={data}
              rowKey={({ name }) => name}
              columns={[
                { name: 'Name', cell: ({ name }) => <code>{name}</code> },
                { name: 'From', cell: ({ source }) => source },
                {
                  name: 'Remove',
                  isHeadHidden: true,
                  hasButtons: true,
                  cell: ({ name, source }) =>
                    isOwner &&
                    source === 'secrets' && (
                      <Button variant="ghost" size="compact" aria-label={`Remove ${name}`} onClick={() => setAsked(name)}>
                        Remove
                      </Button>
                    ),
                },
              ]}
            />
          )
        }
      </Result>
      {isOwner && <NewSecret />}
      {asked !== undefined && (
        <Confirm
          title={`Remove ${asked}?`}
          confirm="Remove"
          isPending={drop.isPending}
          onConfirm={() => drop.mutate(asked)}
          onClose={() => setAsked(undefined)}
        >
          Functions that start from now on do not find it.
        </Confirm>
      )}
    </div>
  )
}

function NewSecret() {
  const [name, setName] = useState('')
  const [value, setValue] = useState('')
  const save = useAction(() => post('/functions/secrets', { name, value }), {
    done: `${name} is set for functions that start from now on`,
    failed: 'The secret was not set',
    refresh: [secretsKey],
    onDone: () => {
      setName('')
      setValue('')
    },
  })
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form className="flex flex-wrap items-end gap-3" onSubmit={submit}>
      <TextField
        label="Name"
        required
        pattern="[A-Za-z_][A-Za-z0-9_]*"
        value={name}
        onChange={setName}
        controlClassName="font-mono"
        autoComplete="off"
      />
      <TextField label="Value" type="password" required value={value} onChange={setValue} autoComplete="new-password" />
      <Button type="submit" variant="outline" size="compact" disabled={save.isPending}>
        Set
      </Button>
    </form>
  )
}
