import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query'
import { useRef } from 'react'
import { notifyError, notifySuccess } from './notify'

interface Action<Result, Input> {
  /** Message after success. Not set if the page itself shows the result. */
  done?: string | ((result: Result, input: Input) => string)
  /** Message after an error, such as “The user was not banned.” Not set if the error is shown at the place of the action. */
  failed?: string
  /** Query keys of the data that must be read again. */
  refresh?: readonly QueryKey[]
  onDone?: (result: Result, input: Input) => void
}

/**
 * An action that changes something on the server. When it ends, a message about the result is shown, and the affected data is read again. A second
 * call with the same input is ignored while the first is running.
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

/** A text that identifies an input. The same action with another input, such as another row, is a different action. */
const nameOf = (input: unknown) => JSON.stringify({ input })
