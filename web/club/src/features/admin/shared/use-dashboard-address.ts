import { useCallback } from 'react'
import { useAddressQuery } from '@cloch/ui/hooks/use-address-query'
import { parseTab, type TabName } from './tab-list'

/** The dashboard's state in the URL, /admin?tab=…&entry=…, so that it can be bookmarked or sent to a colleague. */
export function useDashboardAddress() {
  const [params, setParams] = useAddressQuery()
  const tab = parseTab(params.get('tab'))

  const showTab = useCallback((next: TabName) => setParams({ tab: next }), [setParams])

  /** Sets values in the URL; undefined and '' remove a value; all other values are kept. With `push`, the browser's Back button undoes the change. */
  const setValues = useCallback(
    (values: Record<string, string | undefined>, { push = false } = {}) =>
      setParams(
        (current) => {
          const next = new URLSearchParams(current)
          for (const [name, value] of Object.entries(values)) {
            if (value === undefined || value === '') next.delete(name)
            else next.set(name, value)
          }
          return next
        },
        { replace: !push },
      ),
    [setParams],
  )

  return { tab, showTab, value: (name: string) => params.get(name) ?? '', setValues }
}
