import { Page } from '@/components/Page'

export function Component() {
  return (
    <Page title="Home">
      <p>Everything about the project.</p>
    </Page>
  )
}
