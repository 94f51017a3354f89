import { useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Dialog } from '@/components/Dialog'
import { TextField } from '@/components/fields'
import { Result } from '@/components/states'
import { get, path, put, remove } from '@/lib/api'
import { formatAgo } from '@/lib/format'
import { useMay } from '@/lib/session'
import { useAction } from '@/lib/use-action'

interface Snippet {
  name: string
  bytes: number
  updated_at: string | null
}

interface Snippets {
  snippets: Snippet[]
  /** Whether the server can write a file into the project's folder. */
  writable: boolean
}

const key = ['snippets'] as const

/** The SQL scripts that are saved for the project. They are files in the project's folder, so they can be stored in git. */
export function SnippetsPanel({
  text,
  onChoose,
  onClose,
}: {
  text: string
  onChoose: (sql: string) => void
  onClose: () => void
}) {
  const [name, setName] = useState('')
  const isDeveloper = useMay('developer')
  const snippets = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => get<Snippets>('/sql/snippets', {}, signal),
  })
  const mayChange = isDeveloper && snippets.data?.writable === true
  const open = useAction((chosen: string) => get<{ sql: string }>(path`/sql/snippets/${chosen}`), {
    failed: 'The snippet could not be read',
    onDone: ({ sql }) => onChoose(sql),
  })
  const save = useAction(() => put(path`/sql/snippets/${name.trim()}`, { sql: text }), {
    failed: 'The snippet was not saved',
    done: `Saved as snippets/${name.trim()}.sql`,
    refresh: [key],
    onDone: () => setName(''),
  })
  const drop = useAction((chosen: string) => remove(path`/sql/snippets/${chosen}`), {
    failed: 'The snippet was not removed',
    done: 'The snippet is removed',
    refresh: [key],
  })
  return (
    <Dialog title="Snippets" description="Files snippets/*.sql of the project’s folder." place="side" onClose={onClose}>
      {mayChange && (
        <form
          className="flex items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault()
            save.mutate()
          }}
        >
          <TextField
            label="Save what is in the editor as"
            className="flex-1"
            value={name}
            onChange={setName}
            autoComplete="off"
          />
          <Button type="submit" size="compact" disabled={name.trim() === '' || save.isPending}>
            Save
          </Button>
        </form>
      )}
      {isDeveloper && snippets.data?.writable === false && (
        <p className="rounded border-l-6 border-input bg-muted p-3">
          Snippets cannot be saved or removed here: the server cannot write to the project’s folder. Add files{' '}
          <code>snippets/*.sql</code> to the project’s repository.
        </p>
      )}
      <Result query={snippets} what="the snippets">
        {({ snippets: found }) =>
          found.length === 0 ? (
            <p className="text-muted-foreground">There are none yet.</p>
          ) : (
            <ul>
              {found.map(({ name: saved, updated_at }) => (
                <li key={saved} className="flex items-center gap-2 border-b">
                  <button
                    type="button"
                    className="grid flex-1 py-2 text-left hover:bg-accent"
                    onClick={() => open.mutate(saved)}
                  >
                    <span className="font-strong">{saved}</span>
                    <span className="text-floor text-muted-foreground">{formatAgo(updated_at)}</span>
                  </button>
                  {mayChange && (
                    <Button
                      variant="ghost"
                      size="compact-icon"
                      aria-label={`Remove ${saved}`}
                      onClick={() => drop.mutate(saved)}
                    >
                      <Trash2 aria-hidden />
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Result>
    </Dialog>
  )
}
