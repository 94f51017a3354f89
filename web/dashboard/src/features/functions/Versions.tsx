import { useQuery } from '@tanstack/react-query'
import { Badge } from '@cloch/ui/components/badge'
import { Button } from '@cloch/ui/components/button'
import { DataTable } from '@/components/DataTable'
import { Empty, Result } from '@/components/states'
import { get, path, post } from '@/lib/api'
import { formatTime } from '@/lib/format'
import { functionsKey, type EdgeFunction, type Version } from '@/lib/functions'
import { useMay } from '@/lib/session'
import { useAction } from '@/lib/use-action'

/** The versions that have been deployed. With a button, an earlier version is served again. */
export function Versions({ name }: { name: string }) {
  const mayChange = useMay('developer')
  const detail = useQuery({
    queryKey: [...functionsKey, name, 'versions'],
    queryFn: ({ signal }) => get<EdgeFunction & { versions: Version[] }>(path`/functions/${name}`, {}, signal),
  })
  const serve = useAction((version: string | number) => post(path`/functions/${name}/versions/${version}`), {
    done: (_, version) => `Version ${version} is served`,
    failed: 'The version was not changed',
    refresh: [functionsKey],
  })
  return (
    <Result query={detail} what="the versions">
      {({ versions }) =>
        versions.length === 0 ? (
          <Empty title="It comes from the project’s folder: its versions are in your repository." />
        ) : (
          <DataTable
            label={`Versions of ${name}`}
            rows={versions}
            rowKey={({ version }) => version}
            columns={[
              { name: 'Version', cell: ({ version }) => version },
              { name: 'Deployed', cell: ({ created_at }) => formatTime(created_at) },
              {
                name: 'Serve',
                isHeadHidden: true,
                hasButtons: true,
                cell: ({ version, current }) =>
                  current ? (
                    <Badge tone="success">served</Badge>
                  ) : (
                    mayChange && (
                      <Button variant="outline" size="compact" disabled={serve.isPending} onClick={() => serve.mutate(version)}>
                        Serve version {version}
                      </Button>
                    )
                  ),
              },
            ]}
          />
        )
      }
    </Result>
  )
}
