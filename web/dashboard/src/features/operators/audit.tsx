import { useInfiniteQuery } from '@tanstack/react-query'
import { Button } from '@cloch/ui/components/button'
import { useAddressQuery } from '@cloch/ui/hooks/use-address-query'
import { AddressField } from '@/components/AddressField'
import { DataTable } from '@/components/DataTable'
import { Page } from '@/components/Page'
import { Empty, Failed, Loading } from '@/components/states'
import { get } from '@/lib/api'
import { formatExactTime } from '@/lib/format'
import { useMay } from '@/lib/session'

interface Entry {
  id: number
  at: string
  /** E-mail address of the operator. For a failed sign-in, the address that was entered. */
  email: string | null
  action: string
  target?: string | null
  details?: Record<string, unknown> | null
  status?: number | null
  network?: string | null
}

interface Entries {
  entries: Entry[]
  next?: number | null
}

/** Page with the audit log. It shows who changed something or read personal data, and when. */
export function Component() {
  const mayRead = useMay('developer')
  if (mayRead) return <Audit />
  return (
    <Page title="Audit">
      <Empty title="The audit is for developers and owners">
        It says who changed something here, and who read what is personal; what you read is in it as well.
      </Empty>
    </Page>
  )
}

function Audit() {
  const [search, setSearch] = useAddressQuery()
  const action = search.get('action') ?? ''
  const audit = useInfiniteQuery({
    queryKey: ['audit', action],
    queryFn: ({ pageParam, signal }) => get<Entries>('/audit', { action, before: pageParam, limit: 50 }, signal),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    staleTime: 0,
  })
  const entries = audit.data?.pages.flatMap((page) => page.entries)
  return (
    <Page title="Audit" lede="Every change that an operator made here, and every look at personal data or keys.">
      <AddressField
        label="Action"
        hint="The beginning of its name, for instance users"
        type="search"
        className="w-80 max-w-full"
        value={action}
        onChange={(value) => setSearch(value === '' ? {} : { action: value }, { replace: true })}
      />
      {audit.isError && <Failed error={audit.error} onRetry={() => void audit.refetch()} />}
      {audit.isPending && <Loading what="the audit" />}
      {entries?.length === 0 && <Empty title="Nothing fits." />}
      {entries && entries.length > 0 && (
        <DataTable
          label="Audit"
          rows={entries}
          rowKey={({ id }) => id}
          columns={[
            { name: 'Time', className: 'whitespace-nowrap', cell: ({ at }) => formatExactTime(at) },
            { name: 'Who', cell: ({ email }) => email ?? '–' },
            { name: 'Action', cell: ({ action: name }) => <code>{name}</code> },
            { name: 'On what', className: 'min-w-40', cell: ({ target }) => target ?? '' },
            {
              name: 'Details',
              className: 'min-w-40 max-w-md',
              cell: ({ details }) =>
                details && Object.keys(details).length > 0 && <code className="line-clamp-3">{JSON.stringify(details)}</code>,
            },
            { name: 'Answer', isNumber: true, cell: ({ status }) => status ?? '' },
            { name: 'From', cell: ({ network }) => network ?? '' },
          ]}
        />
      )}
      {audit.hasNextPage && (
        <Button
          variant="outline"
          size="compact"
          className="justify-self-start"
          disabled={audit.isFetchingNextPage}
          onClick={() => void audit.fetchNextPage()}
        >
          Older
        </Button>
      )}
    </Page>
  )
}
