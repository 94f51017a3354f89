import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useId, useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { AsPicker } from '@/components/AsPicker'
import { Dialog } from '@/components/Dialog'
import { Page } from '@/components/Page'
import { useReviewSql } from '@/components/ReviewSql'
import { Empty } from '@/components/states'
import { get } from '@/lib/api'
import { schemaKey } from '@/lib/schema'
import { schemaChange } from '@/lib/schema-change'
import { useMay, useOperator } from '@/lib/session'
import { useTitle } from '@/lib/use-title'
import { Editor } from './Editor'
import type { EditorHandle, Names } from './editor-core'
import { HistoryPanel } from './HistoryPanel'
import { Results } from './Results'
import { SchemaTree } from './SchemaTree'
import { SnippetsPanel } from './SnippetsPanel'
import { Split } from './Split'
import { TabStrip } from './TabStrip'
import { Toolbar, type Open } from './Toolbar'
import { addHistory } from './history'
import type { RunOptions } from './model'
import { useGiven } from './use-given'
import { useMigrating } from './use-migrating'
import { useRun } from './use-run'
import { useTabs } from './use-tabs'
import { useTree } from './use-tree'

/** Page for SQL. Viewers cannot use it, because with SQL every table can be read, including tables with secrets. */
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

/** Editor for SQL, with the schema beside it, and results and plans below it. */
function SqlPage() {
  const operator = useOperator()
  const given = useGiven()
  const tabs = useTabs(operator.id, given)
  const [editor, setEditor] = useState<EditorHandle>()
  const [options, setOptions] = useState<RunOptions>({ as: { role: 'postgres' }, mayWrite: false, seconds: 30 })
  const [open, setOpen] = useState<Open>()
  const [isTreeShown, toggleTree] = useTree()
  const client = useQueryClient()
  const review = useReviewSql()
  const run = useRun()
  const migrating = useMigrating(options)
  const panel = useId()
  useTitle('SQL')
  const names = useQuery({
    queryKey: [...schemaKey, 'completion'],
    staleTime: 60_000,
    queryFn: ({ signal }) => get<Names>('/completion', {}, signal),
  })
  useEffect(() => {
    if (editor && names.data) editor.setNames(names.data)
  }, [editor, names.data])
  useEffect(() => {
    const chosen = tabs.tabs.find(({ id }) => id === tabs.active)
    if (chosen) editor?.show(chosen.id, chosen.text)
    editor?.keep(tabs.tabs.map(({ id }) => id))
  }, [editor, tabs.tabs, tabs.active])
  const outcome = run.outcomes[tabs.active]
  const failure = outcome?.answer?.error
  useEffect(() => {
    const place = failure?.position ?? null
    editor?.markError(failure && place !== null ? { place, message: failure.message } : undefined)
  }, [editor, failure, tabs.active])
  const migrate = (sql: string, migration = schemaChange(sql)?.migration ?? 'change') =>
    review({
      title: 'Run as a migration',
      sql,
      migration,
      isKept: true,
      onDone: () => addHistory(operator.id, { at: new Date().toISOString(), sql, ms: 0, failed: false }),
    })
  const start = async (explain?: 'plan' | 'analyze') => {
    const chosen = editor?.selected() ?? { text: tabs.text, from: 0 }
    if (chosen.text.trim() === '') return
    const change = explain === undefined ? migrating.changeOf(chosen.text) : undefined
    if (change) {
      migrate(chosen.text, change.migration)
      return
    }
    const answer = await run.start(tabs.active, chosen, { ...options, ...(explain ? { explain } : {}) })
    if (!answer) return
    addHistory(operator.id, { at: new Date().toISOString(), sql: chosen.text, ms: answer.ms, failed: answer.error !== null })
    if (answer.kept || answer.kept_partly)
      await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === schemaKey[0] || queryKey[0] === 'rows' })
  }
  const replace = (next: string) => {
    editor?.setText(next)
    setOpen(undefined)
  }
  const tree = (
    <SchemaTree
      names={names.data}
      error={names.error}
      onInsert={(name) => {
        setOpen(undefined)
        editor?.insert(name)
      }}
    />
  )
  return (
    <div className="grid h-[max(calc(100dvh-3.125rem),46rem)] grid-cols-[minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)] gap-3 p-4 desk:h-dvh">
      <Toolbar
        isRunning={run.running !== undefined}
        options={options}
        migrating={migrating}
        isTreeShown={isTreeShown}
        onOptions={setOptions}
        onRun={(explain) => void start(explain)}
        onCancel={() => void run.cancel()}
        onMigrate={() => migrate(tabs.text)}
        onOpen={setOpen}
        onTree={toggleTree}
      />
      <div className="flex min-h-0 min-w-0 gap-4">
        {isTreeShown && (
          <nav aria-label="Schema" className="w-60 shrink-0 overflow-y-auto border-r pr-3 max-xl:hidden">
            {tree}
          </nav>
        )}
        <div className="grid min-h-0 min-w-0 flex-1 grid-cols-[minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)] gap-2">
          <TabStrip
            tabs={tabs.tabs}
            active={tabs.active}
            panel={panel}
            onChoose={tabs.choose}
            onOpen={() => tabs.open()}
            onClose={tabs.close}
          />
          <div id={panel} role="tabpanel" aria-label="Script and results" className="grid min-h-0">
            <Split
              label="Height of the editor"
              upper={
                <Editor
                  script={{ id: tabs.active, text: tabs.text }}
                  onChange={tabs.setText}
                  onRun={() => void start()}
                  onReady={setEditor}
                />
              }
              lower={
                <Results
                  key={tabs.active}
                  answer={outcome?.answer}
                  error={outcome?.error}
                  isRunning={run.running === tabs.active}
                  onPlace={(place) => editor?.goTo(place)}
                />
              }
            />
          </div>
        </div>
      </div>
      {open === 'history' && <HistoryPanel operator={operator.id} onChoose={replace} onClose={() => setOpen(undefined)} />}
      {open === 'snippets' && <SnippetsPanel text={tabs.text} onChoose={replace} onClose={() => setOpen(undefined)} />}
      {open === 'schema' && (
        <Dialog title="Schema" description="A press inserts the name." place="side" onClose={() => setOpen(undefined)}>
          {tree}
        </Dialog>
      )}
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
