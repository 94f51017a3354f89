import { useCallback } from 'react'
import { useSearchParams } from 'react-router'

type SetQuery = ReturnType<typeof useSearchParams>[1]

/**
 * Like `useSearchParams`, but an updater function receives the query of the current URL. The updater function of React Router receives the query at
 * the last render; a second change before the next render would therefore undo the first one.
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
