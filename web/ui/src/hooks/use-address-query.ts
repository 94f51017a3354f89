import { useCallback } from 'react'
import { useSearchParams } from 'react-router'

type SetQuery = ReturnType<typeof useSearchParams>[1]

/**
 * Like `useSearchParams`, but an updater function gets the query of the present URL. That of React Router gets the last rendered query, so that a
 * second change before the next render would undo the first.
 */
export function useAddressQuery(): [query: URLSearchParams, setQuery: SetQuery] {
  const [query, setQuery] = useSearchParams()
  const set = useCallback<SetQuery>(
    (change, options) =>
      setQuery(typeof change === 'function' ? () => change(new URLSearchParams(window.location.search)) : change, options),
    [setQuery],
  )
  return [query, set]
}
