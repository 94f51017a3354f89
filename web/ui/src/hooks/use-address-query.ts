import { useCallback } from 'react'
import { useSearchParams } from 'react-router'

type SetQuery = ReturnType<typeof useSearchParams>[1]

/**
 * `useSearchParams`, but a function that changes the query gets the one in the address. That of React Router gets the one that was drawn last, so that
 * a second change before the first is drawn would undo it.
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
