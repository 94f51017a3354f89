import { Button } from '@cloch/ui/components/button'
import { useAddressQuery } from '@cloch/ui/hooks/use-address-query'
import { Page } from '@/components/Page'
import { useMay } from '@/lib/session'
import { AllValues } from './AllValues'
import { Editing } from './Editing'

/** Page of the settings. Owners can change them; all operators can see the values and where each value comes from. */
export function Component() {
  const [search, setSearch] = useAddressQuery()
  const mayChange = useMay('owner')
  const isAll = !mayChange || search.get('view') === 'all'
  const lede = mayChange
    ? isAll
      ? 'Every value of this server and the file it comes from.'
      : 'Changes are written to the project’s files. Keep them in your repository. Most are in effect at once, the others after a restart.'
    : 'Every value of this server and the file it comes from. Owners can change settings.'
  return (
    <Page
      title="Settings"
      lede={lede}
      actions={
        mayChange && (
          <Button variant="outline" size="compact" onClick={() => setSearch(isAll ? {} : { view: 'all' })}>
            {isAll ? 'Change settings' : 'All values'}
          </Button>
        )
      }
    >
      {isAll ? <AllValues /> : <Editing />}
    </Page>
  )
}
