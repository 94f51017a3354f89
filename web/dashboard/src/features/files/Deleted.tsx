import { useQuery } from '@tanstack/react-query'
import { RotateCcw } from 'lucide-react'
import { Button } from '@cloch/ui/components/button'
import { DataTable } from '@/components/DataTable'
import { Dialog } from '@/components/Dialog'
import { Empty, Result } from '@/components/states'
import { path, post } from '@/lib/api'
import { formatBytes, formatTime } from '@/lib/format'
import { useMay } from '@/lib/session'
import { filesKey, type Bucket, type Versions } from './contract'
import { useRestore } from './Versions'

/** The deleted files of a folder and its subfolders. The user can restore them. */
export function Deleted({ bucket, prefix, onClose }: { bucket: Bucket; prefix: string; onClose: () => void }) {
  const mayChange = useMay('developer')
  const restore = useRestore(bucket.id)
  const deleted = useQuery({
    queryKey: [...filesKey, 'deleted', bucket.id, prefix],
    queryFn: ({ signal }) => post<Versions>(path`/files/buckets/${bucket.id}/deleted`, { prefix }, signal),
  })
  return (
    <Dialog title={`Deleted files of ${prefix || bucket.id}`} onClose={onClose}>
      <Result query={deleted} what="the deleted files">
        {({ objects, hasNext }) =>
          objects.length === 0 ? (
            <Empty title="No deleted file can be brought back." />
          ) : (
            <>
              <DataTable
                label="Deleted files"
                rows={objects}
                rowKey={({ name }) => name}
                columns={[
                  { name: 'Name', className: 'min-w-40 break-all', cell: ({ name }) => name.slice(prefix.length) },
                  {
                    name: 'Size',
                    isNumber: true,
                    className: 'whitespace-nowrap',
                    cell: ({ metadata }) => (metadata?.size === undefined ? '' : formatBytes(metadata.size)),
                  },
                  { name: 'Deleted', className: 'whitespace-nowrap', cell: ({ created_at }) => formatTime(created_at) },
                  ...(mayChange
                    ? [
                        {
                          name: 'Actions',
                          isHeadHidden: true,
                          cell: (version: Versions['objects'][number]) => (
                            <Button
                              variant="outline"
                              size="compact"
                              disabled={restore.isPending}
                              onClick={() => restore.mutate(version)}
                            >
                              <RotateCcw aria-hidden />
                              Restore
                              <span className="sr-only"> {version.name}</span>
                            </Button>
                          ),
                        },
                      ]
                    : []),
                ]}
              />
              {hasNext && <p className="text-muted-foreground">More files are deleted. Open a folder to see those of it.</p>}
            </>
          )
        }
      </Result>
    </Dialog>
  )
}
