import { Ban, Check, CircleSlash, ListFilter, TriangleAlert } from 'lucide-react'
import type { Cell } from './contract'

/** Shows what a role may do with a command: an icon, a word, and the names of the policies that allow it. */
export function MatrixCell({ cell, isUnguarded }: { cell: Cell | undefined; isUnguarded: boolean }) {
  if (!cell) return '–'
  const { icon: Icon, word, tone } = isUnguarded && cell.access === 'all' ? unguarded : looks[cell.access]
  return (
    <div className="grid min-w-24 gap-0.5 max-sm:min-w-36">
      <span className={`flex items-baseline gap-1.5 font-strong [&>svg]:self-center ${tone}`}>
        <Icon aria-hidden />
        {word}
      </span>
      {cell.grant === 'columns' && <span className="text-floor text-muted-foreground">only {cell.columns?.join(', ')}</span>}
      {cell.policies.length > 0 && <span className="text-floor text-muted-foreground">{cell.policies.join(', ')}</span>}
    </div>
  )
}

/** The role can access all rows, but only because row-level security is off. Therefore the icon is a warning. */
const unguarded = { icon: TriangleAlert, word: 'Every row', tone: 'text-destructive' } as const

const looks = {
  none: { icon: Ban, word: 'No grant', tone: 'text-muted-foreground' },
  never: { icon: CircleSlash, word: 'No row', tone: 'text-warning' },
  policies: { icon: ListFilter, word: 'Some rows', tone: 'text-foreground' },
  all: { icon: Check, word: 'Every row', tone: 'text-success' },
  invoker: { icon: ListFilter, word: 'As its tables allow', tone: 'text-foreground' },
  owner: { icon: TriangleAlert, word: 'As its owner sees', tone: 'text-warning' },
} as const
