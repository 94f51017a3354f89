import { BookOpen, Keyboard, Moon, Play, Plus, Rows3, Rows4, Sun, Table2, UserPlus, type LucideIcon } from 'lucide-react'
import { useEffect, useEffectEvent, useId, useState, type KeyboardEvent } from 'react'
import { useNavigate } from 'react-router'
import { cn } from '@cloch/ui/lib/cn'
import { Dialog } from '@/components/Dialog'
import { control } from '@/components/fields'
import { path } from '@/lib/api'
import { chooseDensity } from '@/lib/density'
import { useProject } from '@/lib/project'
import { isPlatformSchema, useCompletion } from '@/lib/schema'
import { useMay } from '@/lib/session'
import { chooseTheme } from '@/lib/theme'
import { documentation, pages } from '../pages'
import { search } from './rank'

interface Command {
  name: string
  group: string
  icon: LucideIcon
  words: string
  run: () => void
}

/** Maximum number of entries that are shown. */
const most = 12

/** Search for pages, tables and actions. The user types letters of the name. The search can be used with the keyboard alone. */
export function CommandPalette({ onClose, onKeys }: { onClose: () => void; onKeys: () => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  // True if the user pressed Enter before the tables had been read. When they have been read, the first match is opened.
  const [isWaiting, setIsWaiting] = useState(false)
  const id = useId()
  const { commands, isComplete } = useCommands(onKeys)
  const found = search(commands, text).slice(0, most)
  const chosen = Math.min(at, found.length - 1)
  const run = (command: Command | undefined) => {
    if (!command) return
    onClose()
    command.run()
  }
  const runFirst = useEffectEvent(() => run(found[0]))
  useEffect(() => {
    if (isWaiting && isComplete) runFirst()
  }, [isWaiting, isComplete])
  const press = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (step !== undefined && found.length > 0) setAt((chosen + step + found.length) % found.length)
    else if (event.key === 'Enter' && found.length === 0 && !isComplete) setIsWaiting(true)
    else if (event.key === 'Enter') run(found[chosen])
    else return
    event.preventDefault()
  }
  return (
    <Dialog title="Search" onClose={onClose} className="sm:mt-[12vh] sm:w-[min(34rem,calc(100vw-2rem))]">
      <input
        role="combobox"
        aria-label="Pages, tables and actions"
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length > 0 ? `${id}-${chosen}` : undefined}
        autoComplete="off"
        spellCheck={false}
        className={control}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
          setIsWaiting(false)
        }}
        onKeyDown={press}
      />
      <ul role="listbox" id={`${id}-list`} aria-label="Found" className="-mx-2 min-h-40">
        {found.map((command, index) => (
          <li
            key={`${command.group} ${command.name}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            className={cn(
              'flex min-h-9 cursor-pointer items-center gap-2.5 rounded border-l-6 border-transparent px-2 hover:bg-accent pointer-coarse:min-h-11',
              index === chosen && 'border-foreground bg-secondary',
            )}
            onClick={() => run(command)}
          >
            <command.icon aria-hidden className="text-muted-foreground" />
            {command.name}
            <span className="ml-auto text-small text-muted-foreground">{command.group}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p role="status">{isComplete ? 'Nothing matches.' : 'Reading the tables…'}</p>}
    </Dialog>
  )
}

/** All entries that can be found. `isComplete` is false while the tables are being read. */
function useCommands(onKeys: () => void): { commands: Command[]; isComplete: boolean } {
  const navigate = useNavigate()
  const { tables, isComplete } = useOwnTables()
  const mayChange = useMay('developer')
  const isOwner = useMay('owner')
  const go = (address: string) => () => void navigate(address)
  const action = (name: string, icon: LucideIcon, words: string, run: () => void) => ({
    name,
    icon,
    words,
    group: 'Action',
    run,
  })
  const commands = [
    ...pages.map((page) => ({ name: page.name, icon: page.icon, words: page.words, group: 'Page', run: go(page.path) })),
    ...(mayChange ? [action('New table', Plus, 'create add', go('/tables?new=table'))] : []),
    ...(mayChange ? [action('Run SQL', Play, 'query statement', go('/sql'))] : []),
    ...(isOwner ? [action('Invite an operator', UserPlus, 'member team role', go('/operators?new=operator'))] : []),
    action('Light colours', Sun, 'theme day mode', () => chooseTheme('light')),
    action('Dark colours', Moon, 'theme night mode', () => chooseTheme('dark')),
    action('Colours of the system', Sun, 'theme auto mode', () => chooseTheme('system')),
    action('Compact rows', Rows4, 'density small dense', () => chooseDensity('compact')),
    action('Comfortable rows', Rows3, 'density large', () => chooseDensity('comfortable')),
    action('Keys', Keyboard, 'keyboard shortcuts help ?', onKeys),
    {
      name: 'Documentation',
      group: 'Help',
      icon: BookOpen,
      words: 'docs manual guide reference',
      run: () => void window.open(documentation, '_blank', 'noopener'),
    },
    ...tables.map(({ schema, name }) => ({
      name,
      icon: Table2,
      words: `rows ${schema}.${name}`,
      group: schema === 'public' ? 'Table' : `Table in ${schema}`,
      run: go(path`/tables/${schema}/${name}`),
    })),
  ]
  return { commands, isComplete }
}

/** The tables of all schemas, without the platform's schemas that the API does not expose. */
function useOwnTables() {
  const completion = useCompletion()
  const project = useProject()
  const exposed = project.data?.schemas ?? []
  const tables = (completion.data?.tables ?? [])
    .filter(([schema]) => !isPlatformSchema(schema) || exposed.includes(schema))
    .map(([schema, name]) => ({ schema, name }))
  return { tables, isComplete: !completion.isPending && !project.isPending }
}
