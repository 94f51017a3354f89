import { useQuery } from '@tanstack/react-query'
import { useState, type SyntheticEvent } from 'react'
import { Button } from '@cloch/ui/components/button'
import { DataTable } from '@/components/DataTable'
import { TextField } from '@/components/fields'
import { Empty, Result } from '@/components/states'
import { get } from '@/lib/api'
import { formatAgo, formatTime } from '@/lib/format'
import { addPasskey, hasPasskeys, isAtAddress, proofOf } from '@/lib/passkey'
import { useOperator } from '@/lib/session'
import { useAction } from '@/lib/use-action'
import { passkeysKey, type Passkey, type PasskeyList } from './contract'
import { RemovePasskey, RenamePasskey } from './PasskeyDialogs'
import { ProofField } from './ProofField'

/** The passkeys of the signed-in operator. With a passkey, neither a password nor a code is needed for signing in. */
export function Passkeys() {
  const passkeys = useQuery({
    queryKey: passkeysKey,
    queryFn: ({ signal }) => get<PasskeyList>('/session/passkeys', {}, signal),
  })
  return (
    <Result query={passkeys} what="your passkeys">
      {(data) => (
        <>
          <p className="text-muted-foreground">
            A passkey signs you in with your finger, face or PIN, in place of the password and the code.
          </p>
          {data.passkeys.length > 0 && <PasskeyTable passkeys={data.passkeys} />}
          {hasPasskeys() && isAtAddress(data.address) ? <AddPasskey /> : <Nowhere address={data.address} />}
        </>
      )}
    </Result>
  )
}

function PasskeyTable({ passkeys }: { passkeys: Passkey[] }) {
  const [open, setOpen] = useState<{ kind: 'rename' | 'remove'; passkey: Passkey }>()
  const close = () => setOpen(undefined)
  return (
    <>
      <DataTable
        label="Your passkeys"
        rows={passkeys}
        rowKey={({ id }) => id}
        columns={[
          { name: 'Passkey', className: 'font-strong', cell: ({ name }) => name },
          { name: 'Since', className: 'whitespace-nowrap', cell: ({ created_at }) => formatTime(created_at) },
          {
            name: 'Last used',
            className: 'whitespace-nowrap',
            cell: ({ last_used_at }) => (last_used_at === null ? 'never' : formatAgo(last_used_at)),
          },
          {
            name: 'Change',
            isHeadHidden: true,
            hasButtons: true,
            cell: (passkey) =>
              (['rename', 'remove'] as const).map((kind) => (
                <Button
                  key={kind}
                  variant="ghost"
                  size="compact"
                  aria-label={`${kind === 'rename' ? 'Rename' : 'Remove'} ${passkey.name}`}
                  onClick={() => setOpen({ kind, passkey })}
                >
                  {kind === 'rename' ? 'Rename' : 'Remove'}
                </Button>
              )),
          },
        ]}
      />
      {open?.kind === 'rename' && <RenamePasskey passkey={open.passkey} onClose={close} />}
      {open?.kind === 'remove' && <RemovePasskey passkey={open.passkey} onClose={close} />}
    </>
  )
}

function AddPasskey() {
  const operator = useOperator()
  const [password, setPassword] = useState('')
  const [name, setName] = useState('')
  const add = useAction(async () => addPasskey(await proofOf(operator, password), name), {
    done: 'The passkey is added',
    failed: 'No passkey was added',
    refresh: [passkeysKey],
    onDone: () => {
      setPassword('')
      setName('')
    },
  })
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    add.mutate()
  }
  return (
    <form className="grid max-w-sm gap-3" onSubmit={submit}>
      <TextField
        label="Name of the passkey (optional)"
        hint="Such as the device that it is on"
        maxLength={100}
        autoComplete="off"
        value={name}
        onChange={setName}
      />
      <ProofField value={password} onChange={setPassword} />
      <Button
        type="submit"
        variant="outline"
        size="compact"
        className="justify-self-start"
        disabled={add.isPending}
        aria-busy={add.isPending}
      >
        {add.isPending ? 'Waiting for the passkey…' : 'Add a passkey'}
      </Button>
    </form>
  )
}

/** Explains why passkeys are not available at this address, and at which address they are. */
function Nowhere({ address }: { address: string | null }) {
  if (address === null)
    return (
      <Empty title="This server has no name.">
        Passkeys belong to a name: set <code>external_url</code> under <code>[api]</code> in config.toml to its https address.
      </Empty>
    )
  if (isAtAddress(address)) return <Empty title="This browser has no passkeys here.">They need https, or this machine.</Empty>
  return (
    <Empty title="Passkeys are added at another address.">
      They belong to a name. Open <a href={`${address}account`}>{address}</a>, and sign in there.
    </Empty>
  )
}
