import { useState } from 'react'
import { Badge } from '@cloch/ui/components/badge'
import { SchemaField } from '@/components/SchemaField'
import { useReviewSql } from '@/components/ReviewSql'
import { Empty } from '@/components/states'
import { useCatalog, type Extension } from '@/lib/catalog'
import { disableExtension, enableExtension } from './extension-sql'
import { ObjectPage } from './ObjectPage'
import { useActionsColumn } from './RowActions'
import { SqlForm } from './SqlForm'

export function Extensions() {
  const list = useCatalog('extensions')
  const [enabling, setEnabling] = useState<Extension>()
  const review = useReviewSql()
  const actions = useActionsColumn<Extension>(
    ({ name }) => name,
    (one) => {
      if (one.version !== null) return [{ name: 'Disable', run: () => review(disableExtension(one)) }]
      const enable = () => (one.fixed_schema === null ? setEnabling(one) : review(enableExtension(one, one.fixed_schema)))
      return [{ name: 'Enable', run: enable }]
    },
  )
  return (
    <ObjectPage
      kind="extensions"
      list={list}
      rowKey={({ name }) => name}
      words={({ name, comment }) => `${name} ${comment ?? ''}`}
      empty={<Empty title="This server has no extensions." />}
      columns={[
        { name: 'Extension', className: 'font-strong', cell: ({ name }) => name },
        {
          name: 'State',
          cell: ({ version }) => (version === null ? <Badge>not enabled</Badge> : <Badge tone="success">enabled</Badge>),
        },
        { name: 'Version', className: 'whitespace-nowrap', cell: ({ version, default_version }) => version ?? default_version },
        { name: 'Schema', cell: ({ schema }) => schema !== null && <code>{schema}</code> },
        { name: 'What it is', className: 'min-w-56', cell: ({ comment }) => comment },
        ...actions,
      ]}
    >
      {enabling && <Enable extension={enabling} onClose={() => setEnabling(undefined)} />}
    </ObjectPage>
  )
}

function Enable({ extension, onClose }: { extension: Extension; onClose: () => void }) {
  const [schema, setSchema] = useState('extensions')
  return (
    <SqlForm
      title={`Enable ${extension.name}`}
      description={extension.comment ?? undefined}
      change={enableExtension(extension, schema)}
      missing=""
      isDirty={false}
      onClose={onClose}
    >
      <SchemaField label="Schema of its functions and types" value={schema} onChange={setSchema} />
    </SqlForm>
  )
}
