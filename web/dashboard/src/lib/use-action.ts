import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query'
import { useRef } from 'react'
import { notifyError, notifySuccess } from './notify'

interface Action<Result, Input> {
  /** What is said when it went well; nothing where the page shows it by itself. */
  done?: string | ((result: Result, input: Input) => string)
  /** What is said when it did not: “The user was not banned.” Nothing where the error is drawn in place. */
  failed?: string
  /** What must be read again. */
  refresh?: readonly QueryKey[]
  onDone?: (result: Result, input: Input) => void
}

/** A change on the server: says how it went and reads again what it touched. A second press while the first is on its way does nothing. */
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

/** What tells one press from another: the same button for another row is another change. */
const nameOf = (input: unknown) => JSON.stringify({ input })
