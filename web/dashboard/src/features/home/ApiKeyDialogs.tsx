import { useState, type SyntheticEvent } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Confirm } from '@/components/Confirm'
import { Copyable } from '@/components/Copy'
import { Dialog } from '@/components/Dialog'
import { RadioField, TextField } from '@/components/fields'
import { Refused } from '@/components/states'
import { path, post, remove } from '@/lib/api'
import { useAction } from '@/lib/use-action'
import { apiKeysKey, nameOf, type ApiKey } from './contract'

const kinds = {
  publishable: 'publishable: for web pages and apps, policies decide',
  secret: 'secret: for servers only, it bypasses every policy',
} as const satisfies Record<ApiKey['kind'], string>

/** Dialog that creates a key. The key is shown only once. */
export function NewApiKey({ onClose }: { onClose: () => void }) {
  const [kind, setKind] = useState<ApiKey['kind']>('publishable')
  const [name, setName] = useState('')
  const create = useAction(() => post<{ id: string; key: string }>('/api-keys', { kind, name: name.trim() }), {
    refresh: [apiKeysKey],
  })
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <Dialog
      title="New API key"
      description="It is valid beside the other keys. To replace a key, give the new one to your programs, and then revoke the old one."
      onClose={onClose}
      className="sm:w-[min(34rem,calc(100vw-2rem))]"
      footer={
        create.data ? (
          <Button size="compact" onClick={onClose}>
            Done
          </Button>
        ) : (
          <>
            <Button type="submit" form="new-api-key" size="compact" disabled={create.isPending} aria-busy={create.isPending}>
              Create
            </Button>
            <Button variant="outline" size="compact" onClick={onClose}>
              Cancel
            </Button>
          </>
        )
      }
    >
      {create.data ? (
        <div className="grid gap-2">
          <p>Copy the key now: it is not shown again. All servers of the project accept it within 2 seconds.</p>
          <Copyable name="Key" value={create.data.key} isSecret />
        </div>
      ) : (
        <form id="new-api-key" className="grid gap-4" onSubmit={submit}>
          <TextField
            label="Name (optional)"
            hint="Such as the program that uses it"
            maxLength={100}
            autoComplete="off"
            value={name}
            onChange={setName}
          />
          <RadioField label="Kind" value={kind} options={kinds} onChange={setKind} />
          {create.isError && <Refused error={create.error} />}
        </form>
      )}
    </Dialog>
  )
}

/** Dialog that revokes a key. After this, the server never accepts the key again. */
export function RevokeApiKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const name = nameOf(apiKey)
  const revoke = useAction(() => remove(path`/api-keys/${apiKey.id}`), {
    done: `The key ${name} is revoked`,
    failed: 'The key was not revoked',
    refresh: [apiKeysKey],
    onDone: onClose,
  })
  return (
    <Confirm
      title={`Revoke the key ${name}?`}
      confirm="Revoke"
      isPending={revoke.isPending}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      <p>Programs that still use it are refused within 2 seconds. This cannot be undone.</p>
      {apiKey.created_at === null && (
        <p>
          It is the project’s own key, which is in secrets.toml. For another own key, remove the line{' '}
          <code>{apiKey.kind}_key</code> there and restart the server.
        </p>
      )}
    </Confirm>
  )
}
