import { useQuery } from '@tanstack/react-query'
import { Download, RotateCcw } from 'lucide-react'
import { Button } from '@cloch/ui/components/button'
import { DataTable } from '@/components/DataTable'
import { Empty, Result } from '@/components/states'
import { path, post } from '@/lib/api'
import { formatBytes, formatTime } from '@/lib/format'
import { useMay } from '@/lib/session'
import { useAction } from '@/lib/use-action'
import { filesKey, objectUrl, type Bucket, type Version, type Versions as Listed } from './contract'

/** Makes an old version the current one. For a deleted file, removes the delete marker. */
export function useRestore(bucket: string, onDone?: () => void) {
  return useAction(({ name, version }: Version) => post(path`/files/buckets/${bucket}/restore`, { path: name, version }), {
    done: (_, { name }) => `${name} is restored`,
    failed: 'Nothing was restored',
    refresh: [filesKey],
    ...(onDone && { onDone }),
  })
}

/** The old versions of a file. */
export function Versions({ bucket, name, onDone }: { bucket: Bucket; name: string; onDone: () => void }) {
  const mayChange = useMay('developer')
  const restore = useRestore(bucket.id, onDone)
  const versions = useQuery({
    queryKey: [...filesKey, 'versions', bucket.id, name],
    queryFn: ({ signal }) => post<Listed>(path`/files/buckets/${bucket.id}/versions`, { path: name }, signal),
  })
  return (
    <section className="grid gap-2 border-t-3 border-foreground pt-2">
      <h3>Versions</h3>
      <Result query={versions} what="the versions">
        {({ objects, hasNext }) => {
          const former = objects.filter(({ archived_at, is_delete_marker }) => archived_at && !is_delete_marker)
          if (former.length === 0) return <Empty title="The file has no former version." />
          return (
            <>
              <DataTable
                label={`Versions of ${name}`}
                rows={former}
                rowKey={({ version }) => version}
                columns={[
                  { name: 'Until', className: 'whitespace-nowrap', cell: ({ archived_at }) => formatTime(archived_at) },
                  {
                    name: 'Size',
                    isNumber: true,
                    className: 'whitespace-nowrap',
                    cell: ({ metadata }) => formatBytes(metadata?.size ?? 0),
                  },
                  {
                    name: 'Actions',
                    isHeadHidden: true,
                    cell: (version) => (
                      <span className="flex justify-end gap-2">
                        <Button asChild variant="ghost" size="compact">
                          <a href={objectUrl(bucket.id, name, name.split('/').at(-1), version.version)} download>
                            <Download aria-hidden />
                            <span className="sr-only">Download the version until {formatTime(version.archived_at)}</span>
                          </a>
                        </Button>
                        {mayChange && (
                          <Button
                            variant="outline"
                            size="compact"
                            disabled={restore.isPending}
                            onClick={() => restore.mutate(version)}
                          >
                            <RotateCcw aria-hidden />
                            Restore
                          </Button>
                        )}
                      </span>
                    ),
                  },
                ]}
              />
              {hasNext && <p className="text-muted-foreground">Older versions are not shown.</p>}
            </>
          )
        }}
      </Result>
    </section>
  )
}
