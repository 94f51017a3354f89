import { useRouteError } from 'react-router'
import { Page } from '@/components/Page'
import { Failed } from '@/components/states'

/**
 * Shown in place of a page that failed, because its code could not be fetched (for example after an upgrade of the server) or because it has a bug.
 */
export function Broken() {
  const error = useRouteError()
  return (
    <Page title="This page could not be drawn">
      <Failed error={error} onRetry={() => window.location.reload()} />
    </Page>
  )
}
