import { useQuery } from '@tanstack/react-query'
import { Badge } from '@cloch/ui/components/badge'
import { useAddressQuery } from '@cloch/ui/hooks/use-address-query'
import { AddressField } from '@/components/AddressField'
import { DataTable } from '@/components/DataTable'
import { CheckField } from '@/components/fields'
import { Section } from '@/components/Page'
import { Empty, Result } from '@/components/states'
import { get } from '@/lib/api'

interface Setting {
  key: string
  value: unknown
  source: 'config.toml' | 'cloch.toml' | 'default' | 'variable' | 'flag'
  file?: string | null
  secret: boolean
  set?: boolean
}

interface Group {
  name: string
  settings: Setting[]
}

/** All settings of the server with their values, and the source of each value. */
export function AllValues() {
  const [search, setSearch] = useAddressQuery()
  const text = search.get('find') ?? ''
  const isSet = search.get('set') === 'yes'
  const settings = useQuery({
    queryKey: ['settings', 'all'],
    queryFn: ({ signal }) => get<{ groups: Group[] }>('/settings', {}, signal),
  })
  const set = (name: string, value: string) =>
    setSearch(
      (old) => {
        const next = new URLSearchParams(old)
        if (value === '') next.delete(name)
        else next.set(name, value)
        return next
      },
      { replace: true },
    )
  const fits = ({ key, source }: Setting) => key.toLowerCase().includes(text.toLowerCase()) && (!isSet || source !== 'default')
  return (
    <>
      <div className="flex flex-wrap items-end gap-x-5 gap-y-2">
        <AddressField
          label="Find"
          type="search"
          className="w-72 max-w-full"
          value={text}
          onChange={(value) => set('find', value)}
        />
        <CheckField label="Only what is not the default" checked={isSet} onChange={(next) => set('set', next ? 'yes' : '')} />
      </div>
      <Result query={settings} what="the settings">
        {({ groups }) => {
          const shown = groups
            .map((group) => ({ ...group, settings: group.settings.filter(fits) }))
            .filter((group) => group.settings.length > 0)
          if (shown.length === 0) return <Empty title="No settings match." />
          return shown.map((group) => <GroupTable key={group.name} group={group} />)
        }}
      </Result>
    </>
  )
}

function GroupTable({ group }: { group: Group }) {
  return (
    <Section title={group.name}>
      <DataTable
        label={`Settings of ${group.name}`}
        rows={group.settings}
        rowKey={({ key }) => key}
        columns={[
          { name: 'Setting', className: 'min-w-48 sm:w-[45%]', cell: ({ key }) => <code>{key}</code> },
          { name: 'Value', className: 'min-w-40 max-w-lg break-words', cell: (setting) => <Value setting={setting} /> },
          {
            name: 'From',
            className: 'sm:w-40',
            cell: ({ source, file }) => (source === 'default' ? 'default' : <Badge tone="firth">{file ?? source}</Badge>),
          },
        ]}
      />
    </Section>
  )
}

/** Maximum length of a value that is shown completely. A longer value is shown after a click. */
const longest = 240

function Value({ setting: { value, secret, set } }: { setting: Setting }) {
  if (secret) return <span className="text-muted-foreground">{set === false ? 'not set' : 'set, not shown'}</span>
  if (value === null || value === undefined || value === '') return <span className="text-muted-foreground">empty</span>
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (text.length <= longest) return <code>{text}</code>
  return (
    <details>
      <summary className="cursor-pointer">
        {Array.isArray(value) ? `${value.length} entries` : `${text.length} characters`}
      </summary>
      <code className="whitespace-pre-wrap">{typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</code>
    </details>
  )
}
