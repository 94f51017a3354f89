import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'

interface DeleteSpec<Row extends { id: string }> {
  /** Query key of the list that shows the records. */
  list: QueryKey
  /** Query keys of other data to read again. */
  stale?: QueryKey
  /** Deletes a record. Returns the deleted row, which may be newer than the row in the list. */
  remove: (row: Row) => Promise<Row>
  /** Restores a deleted record. */
  restore: (row: Row) => Promise<void>
  deleted: string
  failed: (error: unknown) => string
}

/**
 * Deletes a record. The record is removed from the list at once, and added again if the server refuses the deletion. A message offers to restore it
 * for a few seconds.
 */
export function useDelete<Row extends { id: string }>(spec: DeleteSpec<Row>) {
  const queries = useQueryClient()
  const refresh = async () => {
    if (spec.stale) void queries.invalidateQueries({ queryKey: spec.stale })
    await queries.invalidateQueries({ queryKey: spec.list })
  }
  const restore = useMutation({
    mutationFn: spec.restore,
    onSuccess: () => notifySuccess({ title: 'Success', description: 'It is back on the list' }),
    onError: (error) => notifyError({ title: 'Error', description: spec.failed(error) }),
    onSettled: refresh,
  })
  return useMutation({
    mutationFn: spec.remove,
    onMutate: async (row) => {
      await queries.cancelQueries({ queryKey: spec.list })
      const before = queries.getQueryData<Row[]>(spec.list)
      queries.setQueryData<Row[]>(spec.list, (rows) => rows?.filter(({ id }) => id !== row.id))
      return { before }
    },
    onSuccess: (row) =>
      notifySuccess({
        title: 'Success',
        description: spec.deleted,
        action: { label: 'Undo', onClick: () => restore.mutate(row) },
      }),
    onError: (error, _row, context) => {
      queries.setQueryData(spec.list, context?.before)
      notifyError({ title: 'Error', description: spec.failed(error) })
    },
    onSettled: refresh,
  })
}
