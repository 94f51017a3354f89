import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query'
import { notifyError, notifySuccess } from './notify'

interface Action<Result, Input> {
  /** What is said when it went well; nothing where the page shows it by itself. */
  done?: string | ((result: Result, input: Input) => string)
  /** What is said when it did not: “The user was not banned.” */
  failed: string
  /** What must be read again. */
  refresh?: readonly QueryKey[]
  onDone?: (result: Result, input: Input) => void
}

/** A change on the server: says how it went and reads again what it touched. */
export function useAction<Result, Input = void>(run: (input: Input) => Promise<Result>, action: Action<Result, Input>) {
  const client = useQueryClient()
  return useMutation<Result, Error, Input>({
    mutationFn: run,
    onError: (error) => notifyError(action.failed, error),
    onSuccess: async (result, input) => {
      if (action.done !== undefined) notifySuccess(typeof action.done === 'string' ? action.done : action.done(result, input))
      action.onDone?.(result, input)
      await Promise.all((action.refresh ?? []).map((queryKey) => client.invalidateQueries({ queryKey })))
    },
  })
}
