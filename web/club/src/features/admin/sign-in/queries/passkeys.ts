import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { messageOf } from '@/lib/errors'
import { wasCancelled } from '@/lib/passkeys'
import { connect } from '@/lib/supabase'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'

export interface Passkey {
  id: string
  name: string
  since: string
  lastUsed: string | undefined
}

async function listPasskeys(): Promise<Passkey[]> {
  const supabase = await connect()
  const { data, error } = await supabase.auth.passkey.list()
  if (error) throw error
  return data.map((one) => ({
    id: one.id,
    name: one.friendly_name ?? 'Passkey',
    since: one.created_at,
    lastUsed: one.last_used_at,
  }))
}

/** The passkeys of the signed-in administrator. */
export const passkeysQuery = queryOptions({ queryKey: ['own-passkeys'], queryFn: listPasskeys })

async function addPasskey() {
  const supabase = await connect()
  const { error } = await supabase.auth.registerPasskey()
  if (error) throw error
}

async function renamePasskey({ id, name }: { id: string; name: string }) {
  const supabase = await connect()
  const { error } = await supabase.auth.passkey.update({ passkeyId: id, friendlyName: name })
  if (error) throw error
}

async function deletePasskey({ id }: Passkey) {
  const supabase = await connect()
  const { error } = await supabase.auth.passkey.delete({ passkeyId: id })
  if (error) throw error
}

/** A mutation that changes the list of passkeys. On success it shows a message and reads the list again. */
function usePasskeyChange<Input>(change: (input: Input) => Promise<void>, done: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: () => notifySuccess({ title: 'Success', description: done }),
    onError: (error) => {
      if (!wasCancelled(error)) notifyError({ title: 'Error', description: messageOf(error) })
    },
    onSettled: () => queries.invalidateQueries({ queryKey: passkeysQuery.queryKey }),
  })
}

export const useAddPasskey = () => usePasskeyChange(addPasskey, 'You can sign in with this device from now on')
export const useRenamePasskey = () => usePasskeyChange(renamePasskey, 'The passkey has its new name')
export const useDeletePasskey = () => usePasskeyChange(deletePasskey, 'This passkey signs nobody in any more')
