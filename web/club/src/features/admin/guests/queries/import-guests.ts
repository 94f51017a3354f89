import { useMutation, useQueryClient } from '@tanstack/react-query'
import { messageOf } from '@/lib/errors'
import { connect } from '@/lib/supabase'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import type { GuestInput } from '../rules'
import { guestsQuery } from './list-guests'

/** Inserts the guests with one statement, so that either all of them or none are imported. */
async function importGuests(guests: GuestInput[]): Promise<number> {
  const supabase = await connect()
  const { error } = await supabase.from('invited_guests').insert(guests)
  if (error) throw error
  return guests.length
}

export function useImportGuests() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: importGuests,
    onSuccess: (count) => notifySuccess({ title: 'Success', description: `Imported ${count} guests successfully` }),
    onError: (error) => notifyError({ title: 'Error', description: `Failed to import guests: ${messageOf(error)}` }),
    onSettled: () => queries.invalidateQueries({ queryKey: guestsQuery.queryKey }),
  })
}
