import { useQuery } from '@tanstack/react-query'
import { FolderPlus } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '@cloch/ui/components/badge'
import { Button } from '@cloch/ui/components/button'
import { useAddressQuery } from '@cloch/ui/hooks/use-address-query'
import { DataTable } from '@/components/DataTable'
import { Page } from '@/components/Page'
import { RowButton } from '@/components/RowButton'
import { Empty, Result } from '@/components/states'
import { get } from '@/lib/api'
import { formatBytes, formatCount, formatLimit } from '@/lib/format'
import { useMay } from '@/lib/session'
import { BucketDialog } from './BucketDialog'
import { BucketView } from './BucketView'
import { filesKey, type Bucket } from './contract'

/** Page with the list of buckets, or with the folders and files of one bucket. The URL contains the bucket and the folder. */
export function Component() {
  const [search, setSearch] = useAddressQuery()
  const [isAdding, setAdding] = useState(false)
  const mayChange = useMay('developer')
  const buckets = useQuery({
    queryKey: [...filesKey, 'buckets'],
    queryFn: ({ signal }) => get<Bucket[]>('/files/buckets', {}, signal),
  })
  const open = buckets.data?.find(({ id }) => id === search.get('bucket'))
  const go = (bucket?: string, prefix = '') => setSearch(bucket === undefined ? {} : { bucket, ...(prefix ? { prefix } : {}) })
  if (open) return <BucketView key={open.id} bucket={open} prefix={search.get('prefix') ?? ''} onGo={go} />
  return (
    <Page
      title="Files"
      lede="Buckets hold files. A public one lets everybody read; who may do what else is said by policies on storage.objects."
      actions={
        mayChange && (
          <Button size="compact" onClick={() => setAdding(true)}>
            <FolderPlus aria-hidden />
            New bucket
          </Button>
        )
      }
    >
      <Result query={buckets} what="the buckets">
        {(data) =>
          data.length === 0 ? (
            <Empty title="There are no buckets yet.">
              Make a public one for pictures that everybody may see, a private one for the rest.
            </Empty>
          ) : (
            <BucketTable buckets={data} onOpen={(id) => go(id)} />
          )
        }
      </Result>
      {isAdding && <BucketDialog onClose={() => setAdding(false)} onMade={go} />}
    </Page>
  )
}

function BucketTable({ buckets, onOpen }: { buckets: Bucket[]; onOpen: (id: string) => void }) {
  return (
    <DataTable
      label="Buckets"
      rows={buckets}
      rowKey={({ id }) => id}
      columns={[
        { name: 'Bucket', className: 'min-w-32', cell: ({ id }) => <RowButton onClick={() => onOpen(id)}>{id}</RowButton> },
        {
          name: 'Reads',
          cell: (bucket) => (bucket.public ? <Badge tone="heather">public</Badge> : <Badge>by policy</Badge>),
        },
        { name: 'Files', isNumber: true, cell: ({ objects }) => formatCount(objects) },
        { name: 'Size', isNumber: true, className: 'whitespace-nowrap', cell: ({ bytes }) => formatBytes(bytes) },
        {
          name: 'Largest file',
          isNumber: true,
          className: 'whitespace-nowrap',
          cell: ({ file_size_limit }) => (file_size_limit ? formatLimit(file_size_limit) : 'as configured'),
        },
        { name: 'Types', cell: ({ allowed_mime_types }) => allowed_mime_types?.join(', ') ?? 'all' },
      ]}
    />
  )
}
