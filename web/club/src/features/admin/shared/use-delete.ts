import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'

interface DeleteSpec<Row extends { id: string }> {
  /** The list that shows the records. */
  list: QueryKey
  /** Query keys of other data to read again. */
  stale?: QueryKey
  /** Deletes a record. Returns its last state, which may be newer than the list's. */
  remove: (row: Row) => Promise<Row>
  /** Restores a deleted record. */
  restore: (row: Row) => Promise<void>
  deleted: string
  failed: (error: unknown) => string
}

/** Deletes a record: it is removed from the list immediately, reappears if the server refuses, and can be restored for a while. */
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
