import { FilePlus2, History, Library, ListTree, Play, Square, UserRound } from 'lucide-react'
import { Button } from '@cloch/ui/components/button'
import { CheckField, SelectField } from '@/components/fields'
import { ButtonRow, PageTitle } from '@/components/Page'
import { describeAs } from '@/lib/as'
import type { RunOptions } from './model'
import type { Migrating } from './use-migrating'

/** Panels that open over the page. */
export type Open = 'history' | 'snippets' | 'as' | 'schema'

interface ToolbarProps {
  isRunning: boolean
  options: RunOptions
  migrating: Migrating
  isTreeShown: boolean
  onOptions: (options: RunOptions) => void
  onRun: (explain?: 'plan' | 'analyze') => void
  onCancel: () => void
  onMigrate: () => void
  onOpen: (open: Open) => void
  onTree: () => void
}

/** Buttons to run and save a script, and the options of a run. */
export function Toolbar(props: ToolbarProps) {
  const { isRunning, migrating, onRun, onCancel } = props
  return (
    <header className="grid gap-1.5">
      <ButtonRow>
        <PageTitle>SQL</PageTitle>
        {isRunning ? (
          <Button variant="destructive" size="compact" onClick={onCancel}>
            <Square aria-hidden />
            Cancel
          </Button>
        ) : (
          <Button size="compact" onClick={() => onRun()} title="Runs what is selected, or everything (Ctrl+Enter)">
            <Play aria-hidden />
            Run
          </Button>
        )}
        <Button variant="outline" size="compact" disabled={isRunning} onClick={() => onRun('plan')}>
          Explain
        </Button>
        <Button variant="ghost" size="compact" disabled={isRunning} onClick={() => onRun('analyze')}>
          <span>
            <span className="max-sm:sr-only">Explain and </span>
            <span className="max-sm:inline-block max-sm:first-letter:uppercase">measure</span>
          </span>
        </Button>
        <Keeping {...props} />
      </ButtonRow>
      <How {...props} />
      {migrating.isOffered && (
        <CheckField
          label="Schema changes become migrations"
          hint="A script that changes the schema is shown with the name of its migration file before it runs."
          checked={migrating.isOn}
          onChange={migrating.setOn}
        />
      )}
    </header>
  )
}

function Keeping({ isTreeShown, onTree, onOpen, onMigrate }: ToolbarProps) {
  return (
    <span className="flex gap-1 max-lg:[&_svg]:hidden sm:ml-auto sm:flex-wrap">
      <Button variant="ghost" size="compact" className="max-xl:hidden" aria-pressed={isTreeShown} onClick={onTree}>
        <ListTree aria-hidden />
        Schema
      </Button>
      <Button variant="ghost" size="compact" className="xl:hidden" onClick={() => onOpen('schema')}>
        <ListTree aria-hidden />
        Schema
      </Button>
      <Button variant="ghost" size="compact" onClick={() => onOpen('history')}>
        <History aria-hidden />
        History
      </Button>
      <Button variant="ghost" size="compact" onClick={() => onOpen('snippets')}>
        <Library aria-hidden />
        Snippets
      </Button>
      <Button variant="ghost" size="compact" onClick={onMigrate}>
        <FilePlus2 aria-hidden />
        As migration
      </Button>
    </span>
  )
}

function How({ options, onOptions, onOpen }: ToolbarProps) {
  return (
    <div role="group" aria-label="How it runs" className="flex items-center gap-2 sm:gap-3">
      <Button
        variant="ghost"
        size="compact"
        className="min-w-0 max-sm:px-0 sm:-ml-3"
        title={`As ${describeAs(options.as)}`}
        onClick={() => onOpen('as')}
      >
        <UserRound aria-hidden className="max-sm:hidden" />
        <span className="truncate">As {describeAs(options.as)}</span>
      </Button>
      <CheckField
        label={<span className="whitespace-nowrap">Allow writing</span>}
        checked={options.mayWrite}
        onChange={(mayWrite) => onOptions({ ...options, mayWrite })}
      />
      <SelectField
        label="Time limit"
        isLabelHidden
        className="shrink-0 max-sm:ml-auto"
        value={String(options.seconds)}
        onChange={(seconds) => onOptions({ ...options, seconds: Number(seconds) })}
      >
        {[10, 30, 60, 300, 600].map((seconds) => (
          <option key={seconds} value={seconds}>
            {seconds < 60 ? `${seconds} s` : `${seconds / 60} min`} limit
          </option>
        ))}
      </SelectField>
    </div>
  )
}
