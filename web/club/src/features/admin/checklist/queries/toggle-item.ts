import { useMutation, useQueryClient } from '@tanstack/react-query'
import { connect } from '@/lib/supabase'
import { notifyError } from '@cloch/ui/lib/notify'
import { failedToSave } from '../../shared/failures'
import { checklistQuery, type ChecklistItem } from './list-items'

interface Toggle {
  id: string
  done: boolean
}

async function toggleItem({ id, done }: Toggle) {
  const supabase = await connect()
  const { data, error } = await supabase.from('event_checklist_items').update({ is_completed: done }).eq('id', id).select('id')
  if (error) throw error
  if (data.length === 0) throw new Error('Somebody else has deleted this item.')
}

/** Ticks an item immediately, and removes the tick again if the server refuses the change. */
export function useToggleItem() {
  const queries = useQueryClient()
  const { queryKey } = checklistQuery
  return useMutation({
    mutationFn: toggleItem,
    onMutate: async ({ id, done }) => {
      await queries.cancelQueries({ queryKey })
      const before = queries.getQueryData<ChecklistItem[]>(queryKey)
      queries.setQueryData<ChecklistItem[]>(queryKey, (items) =>
        items?.map((item) => (item.id === id ? { ...item, is_completed: done } : item)),
      )
      return { before }
    },
    onError: (error, _toggle, context) => {
      queries.setQueryData(queryKey, context?.before)
      notifyError({ title: 'Error', description: failedToSave('item')(error, false) })
    },
    onSettled: () => queries.invalidateQueries({ queryKey }),
  })
}
