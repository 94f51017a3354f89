import { useState, type SyntheticEvent } from 'react'
import { useNavigate } from 'react-router'
import { Button } from '@cloch/ui/components/button'
import { Dialog } from '@/components/Dialog'
import { CheckField, TextField } from '@/components/fields'
import { Refused } from '@/components/states'
import { post } from '@/lib/api'
import { functionsKey, type EdgeFunction } from '@/lib/functions'
import { useAction } from '@/lib/use-action'

/** Deploys a new function from the template, then opens its source. */
export function NewFunction({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [isProtected, setProtected] = useState(true)
  const create = useAction(() => post<EdgeFunction>('/functions', { name: name.trim(), verify_jwt: isProtected }), {
    done: 'Version 1 is served',
    refresh: [functionsKey, ['project']],
    onDone: () => {
      onClose()
      void navigate(`/functions/${encodeURIComponent(name.trim())}`)
    },
  })
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <Dialog
      title="New function"
      description="Deploys an example as version 1 and opens its source, which you change and deploy again. It is stored on the server, not in the project’s folder."
      onClose={onClose}
      isDirty={name !== ''}
      className="sm:w-[min(34rem,calc(100vw-2rem))]"
      footer={
        <>
          <Button type="submit" form="new-function" size="compact" disabled={create.isPending} aria-busy={create.isPending}>
            Deploy
          </Button>
          <Button variant="outline" size="compact" onClick={onClose}>
            Cancel
          </Button>
        </>
      }
    >
      <form id="new-function" className="grid gap-4" onSubmit={submit}>
        <TextField
          label="Name"
          hint="Letters, digits, - and _. It is part of the URL."
          required
          pattern="[A-Za-z][A-Za-z0-9_\-]*"
          maxLength={128}
          value={name}
          onChange={setName}
          controlClassName="font-mono"
          autoComplete="off"
          spellCheck={false}
        />
        <CheckField
          label="A call requires sign-in or a key"
          hint="The token of a signed-in user, or a key of the project. Otherwise anybody can call the function."
          checked={isProtected}
          onChange={setProtected}
        />
        {create.isError && <Refused error={create.error} />}
      </form>
    </Dialog>
  )
}
