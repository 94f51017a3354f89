import { Check } from 'lucide-react'
import { Link } from 'react-router'
import type { Project } from '@/lib/project'

interface Step {
  to: string
  name: string
  why: string
  isDone: boolean
  /** Whether this step is required. The list of first steps is shown until all required steps are done. */
  isNeeded: boolean
}

/** First steps for a new project, in order. */
export const firstSteps = ({ counts: { tables, users }, steps }: Project, hasBackup: boolean): Step[] => [
  {
    to: '/tables?new=table',
    name: 'Make a table',
    why: 'and type its first row into the grid',
    isDone: tables > 0,
    isNeeded: true,
  },
  {
    to: '/policies',
    name: 'Say who may read it',
    why: 'a table without a policy answers an empty list',
    isDone: steps.policy,
    isNeeded: true,
  },
  {
    to: '/why',
    name: 'Try it as somebody else',
    why: 'and see why an answer is empty or refused',
    isDone: steps.tried,
    isNeeded: false,
  },
  { to: '/users', name: 'Invite a user', why: 'or let your app’s sign-up do it', isDone: users > 0, isNeeded: true },
  {
    to: '/backups',
    name: 'Choose where backups go',
    why: 'a folder on another disk, or S3',
    isDone: hasBackup,
    isNeeded: true,
  },
]

/** Whether the list of first steps is shown, that is, a required step is not done. */
export const areOpen = (steps: readonly Step[]) => steps.some(({ isNeeded, isDone }) => isNeeded && !isDone)

/** The list of first steps. A completed step has a tick. */
export function FirstSteps({ steps }: { steps: readonly Step[] }) {
  return (
    <ol>
      {steps.map(({ to, name, why, isDone }, index) => (
        <li key={to} className="flex items-baseline gap-3 border-b py-2">
          <span className="w-6 shrink-0 text-right text-muted-foreground tabular-nums">
            {isDone ? <Check role="img" aria-label="Done" className="inline text-success" /> : `${index + 1}.`}
          </span>
          <span>
            <Link to={to} className="font-strong">
              {name}
            </Link>
            <span className="text-muted-foreground">, {why}</span>
          </span>
        </li>
      ))}
    </ol>
  )
}
