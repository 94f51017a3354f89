import { useIsFetching, useQueryClient } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { Button } from '@cloch/ui/components/button'
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@cloch/ui/components/tabs'
import { useAddressQuery } from '@cloch/ui/hooks/use-address-query'
import { Page } from '@/components/Page'
import { Findings } from './Findings'
import { SlowStatements } from './statements/SlowStatements'

/** Page with the schema's problems and the slow statements. The chosen tab is in the URL. */
export function Component() {
  const [search, setSearch] = useAddressQuery()
  const client = useQueryClient()
  const tab = search.get('tab') === 'statements' ? 'statements' : 'findings'
  const queryKey = [tab === 'statements' ? 'statements' : 'advisors']
  const isFetching = useIsFetching({ queryKey }) > 0
  return (
    <Page
      title="Advisors"
      lede={
        <>
          Rules about security and speed, held against the schema as it is now, and the statements that take the time. The rules
          from the terminal: <code className="whitespace-nowrap">cloch advise</code>.
        </>
      }
      actions={
        <Button
          variant="outline"
          size="compact"
          disabled={isFetching}
          onClick={() => void client.refetchQueries({ queryKey, type: 'active' })}
        >
          <RefreshCw aria-hidden />
          Refresh
        </Button>
      }
    >
      <Tabs value={tab} onValueChange={(next) => setSearch(next === 'findings' ? {} : { tab: next }, { replace: true })}>
        <TabsList aria-label="Advisors">
          <TabsTrigger value="findings">Findings</TabsTrigger>
          <TabsTrigger value="statements">Slow statements</TabsTrigger>
        </TabsList>
        <TabsContent value="findings">
          <Findings />
        </TabsContent>
        <TabsContent value="statements">
          <SlowStatements />
        </TabsContent>
      </Tabs>
    </Page>
  )
}
