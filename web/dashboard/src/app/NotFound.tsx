import { Link } from 'react-router'
import { Page } from '@/components/Page'

export function NotFound() {
  return (
    <Page title="There is no such page">
      <p>
        The address may be mistyped, or from another version. <Link to="/">Go to the start</Link>.
      </p>
    </Page>
  )
}
