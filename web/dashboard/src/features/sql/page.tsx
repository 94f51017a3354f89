import { useQuery, useQueryClient } from '@tanstack/react-query'
import { FilePlus2, History, Library, Play, Square, UserRound } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { AsPicker } from '@/components/AsPicker'
import { Dialog } from '@/components/Dialog'
import { CheckField, SelectField } from '@/components/fields'
import { Page, PageTitle } from '@/components/Page'
import { useReviewSql } from '@/components/ReviewSql'
import { Empty } from '@/components/states'
import { get } from '@/lib/api'
import { describeAs } from '@/lib/as'
import { schemaKey } from '@/lib/schema'
import { schemaChange } from '@/lib/schema-change'
import { useMay, useOperator } from '@/lib/session'
import { useTitle } from '@/lib/use-title'
import { Editor } from './Editor'
import type { EditorHandle, Names } from './editor-core'
import { HistoryPanel } from './HistoryPanel'
import { Results } from './Results'
import { SnippetsPanel } from './SnippetsPanel'
import { addHistory } from './history'
import type { RunOptions } from './model'
import { useMigrating } from './use-migrating'
import { useRun } from './use-run'

/** Where this tab keeps the text, so that going to another page loses nothing. */
const draftKey = 'cloch.sql.draft'

type Open = 'history' | 'snippets' | 'as'

/** SQL reads every table, those with secrets as well: viewers are told so. */
export function Component() {
  const isDeveloper = useMay('developer')
  if (isDeveloper) return <SqlPage />
  return (
    <Page title="SQL">
      <Empty title="SQL is for developers">
        It reads every table, those with secrets as well. Rows are shown under Tables.
      </Empty>
    </Page>
  )
}

/** SQL of one's own: run it, see its results and plan, keep it. */
function SqlPage() {
  const operator = useOperator()
  const [text, setText] = useState(() => sessionStorage.getItem(draftKey) ?? 'select now();')
  const [editor, setEditor] = useState<EditorHandle>()
  const [options, setOptions] = useState<RunOptions>({ as: { role: 'postgres' }, mayWrite: false, seconds: 30 })
  const [open, setOpen] = useState<Open>()
  const client = useQueryClient()
  const review = useReviewSql()
  const run = useRun()
  const migrating = useMigrating(options)
  useTitle('SQL')
  const names = useQuery({
    queryKey: [...schemaKey, 'completion'],
    staleTime: 60_000,
    queryFn: ({ signal }) => get<Names>('/completion', {}, signal),
  })
  useEffect(() => {
    if (editor && names.data) editor.setNames(names.data)
  }, [editor, names.data])
  const change = (next: string) => {
    setText(next)
    try {
      sessionStorage.setItem(draftKey, next)
    } catch {
      // A text of some megabytes has no room there: it lives as long as the page.
      sessionStorage.removeItem(draftKey)
    }
  }
  const migrate = (sql: string, migration = schemaChange(sql)?.migration ?? 'change') =>
    review({
      title: 'Run as a migration',
      sql,
      migration,
      isKept: true,
      onDone: () => addHistory(operator.id, { at: new Date().toISOString(), sql, ms: 0, failed: false }),
    })
  const start = async (explain?: 'plan' | 'analyze') => {
    const chosen = editor?.selected() ?? { text, from: 0 }
    if (chosen.text.trim() === '') return
    const change = explain === undefined ? migrating.changeOf(chosen.text) : undefined
    if (change) {
      migrate(chosen.text, change.migration)
      return
    }
    const answer = await run.start(chosen, { ...options, ...(explain ? { explain } : {}) })
    if (!answer) return
    addHistory(operator.id, { at: new Date().toISOString(), sql: chosen.text, ms: answer.ms, failed: answer.error !== null })
    if (answer.kept || answer.kept_partly)
      await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === schemaKey[0] || queryKey[0] === 'rows' })
  }
  const replace = (next: string) => {
    editor?.setText(next)
    setOpen(undefined)
  }
  return (
    <div className="grid h-[max(calc(100dvh-3.125rem),46rem)] grid-cols-[minmax(0,1fr)] grid-rows-[auto_minmax(0,2fr)_minmax(0,3fr)] gap-3 p-4 desk:h-dvh">
      <header className="grid gap-1.5">
        <div className="flex flex-wrap items-center gap-2">
          <PageTitle>SQL</PageTitle>
          {run.isRunning ? (
            <Button variant="destructive" size="compact" onClick={run.cancel}>
              <Square aria-hidden />
              Cancel
            </Button>
          ) : (
            <Button size="compact" onClick={() => void start()} title="Runs what is selected, or everything (Ctrl+Enter)">
              <Play aria-hidden />
              Run
            </Button>
          )}
          <Button variant="outline" size="compact" disabled={run.isRunning} onClick={() => void start('plan')}>
            Explain
          </Button>
          <Button variant="ghost" size="compact" disabled={run.isRunning} onClick={() => void start('analyze')}>
            <span>
              <span className="max-sm:sr-only">Explain and </span>
              <span className="max-sm:inline-block max-sm:first-letter:uppercase">measure</span>
            </span>
          </Button>
          <span className="flex flex-wrap gap-1 max-sm:-ml-3 max-sm:[&_svg]:hidden sm:ml-auto">
            <Button variant="ghost" size="compact" onClick={() => setOpen('history')}>
              <History aria-hidden />
              History
            </Button>
            <Button variant="ghost" size="compact" onClick={() => setOpen('snippets')}>
              <Library aria-hidden />
              Snippets
            </Button>
            <Button
              variant="ghost"
              size="compact"
              onClick={() => migrate(text)}
            >
              <FilePlus2 aria-hidden />
              As migration
            </Button>
          </span>
        </div>
        <div role="group" aria-label="How it runs" className="flex items-center gap-2 sm:gap-3">
          <Button
            variant="ghost"
            size="compact"
            className="min-w-0 max-sm:px-0 sm:-ml-3"
            title={`As ${describeAs(options.as)}`}
            onClick={() => setOpen('as')}
          >
            <UserRound aria-hidden className="max-sm:hidden" />
            <span className="truncate">As {describeAs(options.as)}</span>
          </Button>
          <CheckField
            label={<span className="whitespace-nowrap">Allow writing</span>}
            checked={options.mayWrite}
            onChange={(mayWrite) => setOptions({ ...options, mayWrite })}
          />
          <SelectField
            label="Time limit"
            isLabelHidden
            className="shrink-0 max-sm:ml-auto"
            value={String(options.seconds)}
            onChange={(seconds) => setOptions({ ...options, seconds: Number(seconds) })}
          >
            {[10, 30, 60, 300, 600].map((seconds) => (
              <option key={seconds} value={seconds}>
                {seconds < 60 ? `${seconds} s` : `${seconds / 60} min`} limit
              </option>
            ))}
          </SelectField>
        </div>
        {migrating.isOffered && (
          <CheckField
            label="Schema changes become migrations"
            hint="A script that changes the schema is shown with the name of its migration file before it runs."
            checked={migrating.isOn}
            onChange={migrating.setOn}
          />
        )}
      </header>
      <Editor text={text} onChange={change} onRun={() => void start()} onReady={setEditor} />
      <Results answer={run.answer} error={run.error} isRunning={run.isRunning} onPlace={(place) => editor?.goTo(place)} />
      {open === 'history' && <HistoryPanel operator={operator.id} onChoose={replace} onClose={() => setOpen(undefined)} />}
      {open === 'snippets' && <SnippetsPanel text={text} onChoose={replace} onClose={() => setOpen(undefined)} />}
      {open === 'as' && (
        <Dialog
          title="Run as"
          description="Grants and policies decide, as for a request of this caller."
          onClose={() => setOpen(undefined)}
          footer={
            <Button size="compact" disabled={'user' in options.as && options.as.user === ''} onClick={() => setOpen(undefined)}>
              Use
            </Button>
          }
        >
          <AsPicker label="Run as" value={options.as} onChange={(as) => setOptions({ ...options, as })} />
        </Dialog>
      )}
    </div>
  )
}
