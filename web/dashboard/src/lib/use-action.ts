import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query'
import { useRef } from 'react'
import { notifyError, notifySuccess } from './notify'

interface Action<Result, Input> {
  /** Message after success; not set if the page shows the result itself. */
  done?: string | ((result: Result, input: Input) => string)
  /** Message after a failure: “The user was not banned.” Not set if the error is shown in place. */
  failed?: string
  /** Query keys of the data to read again. */
  refresh?: readonly QueryKey[]
  onDone?: (result: Result, input: Input) => void
}

/**
 * A change on the server: shows a message about the result and reads the affected data again. A second click with the same input while a request is
 * running is ignored.
 */
export function useAction<Result, Input = void>(run: (input: Input) => Promise<Result>, action: Action<Result, Input>) {
  const client = useQueryClient()
  const running = useRef(new Set<string>())
  const mutation = useMutation<Result, Error, Input>({
    mutationFn: run,
    onError: (error) => {
      if (action.failed !== undefined) notifyError(action.failed, error)
    },
    onSuccess: async (result, input) => {
      if (action.done !== undefined) notifySuccess(typeof action.done === 'string' ? action.done : action.done(result, input))
      action.onDone?.(result, input)
      await Promise.all((action.refresh ?? []).map((queryKey) => client.invalidateQueries({ queryKey })))
    },
    onSettled: (_result, _error, input) => running.current.delete(nameOf(input)),
  })
  const mutate = (input: Input) => {
    const name = nameOf(input)
    if (running.current.has(name)) return
    running.current.add(name)
    mutation.mutate(input)
  }
  return { ...mutation, mutate }
}

/** Identifies an input: the same button for another row is another change. */
const nameOf = (input: unknown) => JSON.stringify({ input })
