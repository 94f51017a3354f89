import { useQuery } from '@tanstack/react-query'
import { Code } from '@/components/Copy'
import { Dialog } from '@/components/Dialog'
import { Result } from '@/components/states'
import { getDefinition } from '@/lib/catalog'
import { schemaKey } from '@/lib/schema'

interface DefinitionProps {
  kind: 'functions' | 'triggers'
  oid: number
  title: string
  onClose: () => void
}

/** The SQL definition of a function or trigger. The user can read and copy it. */
export function Definition({ kind, oid, title, onClose }: DefinitionProps) {
  const definition = useQuery({
    queryKey: [...schemaKey, 'definition', kind, oid],
    queryFn: ({ signal }) => getDefinition(kind, oid, signal),
  })
  return (
    <Dialog title={title} place="side" className="w-[min(44rem,100vw)]" onClose={onClose}>
      <Result query={definition} what="the definition">
        {(text) => <Code label="Definition" text={text} />}
      </Result>
    </Dialog>
  )
}
