import { useQuery } from '@tanstack/react-query'
import { Code2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Code } from '@/components/Copy'
import { Dialog } from '@/components/Dialog'
import { get } from '@/lib/api'
import type { TableDetail } from '@/lib/schema'
import { asCurl, asSql, asSupabase } from './copy-as'
import { isWhole, type View } from './model'

interface Project {
  api: { rest: string }
  publishable_key: string
}

/** Copies code that reads the rows of this view. The code is SQL, a call of supabase-js, or a curl command. */
export function CopyMenu({ table, view }: { table: TableDetail; view: View }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="ghost" size="compact" onClick={() => setOpen(true)}>
        <Code2 aria-hidden />
        As code
      </Button>
      {isOpen && <CodeDialog table={table} view={view} onClose={() => setOpen(false)} />}
    </>
  )
}

function CodeDialog({
  table: { schema, name },
  view: shown,
  onClose,
}: {
  table: TableDetail
  view: View
  onClose: () => void
}) {
  const view = { ...shown, filters: shown.filters.filter(isWhole) }
  const project = useQuery({ queryKey: ['project'], queryFn: ({ signal }) => get<Project>('/project', {}, signal) })
  return (
    <Dialog title="These rows as code" onClose={onClose}>
      <h3>SQL</h3>
      <Code label="SQL" text={asSql(schema, name, view)} />
      <h3>supabase-js</h3>
      <Code label="supabase-js" text={asSupabase(schema, name, view)} />
      <h3>curl</h3>
      {project.data && (
        <Code label="curl" text={asCurl(project.data.api.rest, project.data.publishable_key, schema, name, view)} />
      )}
    </Dialog>
  )
}
