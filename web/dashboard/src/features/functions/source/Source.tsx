import { useQuery, useQueryClient } from '@tanstack/react-query'
import { FilePlus, Trash2, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Empty, Refused, Result } from '@/components/states'
import { ApiError, get, path } from '@/lib/api'
import { functionsKey, type EdgeFunction, type FunctionSource } from '@/lib/functions'
import { formatBytes } from '@/lib/format'
import { useMay } from '@/lib/session'
import { useUnsaved, type Move } from '@/lib/unsaved'
import { CodeEditor, type Mark } from './CodeEditor'
import { Deploy } from './Deploy'
import { editedText, pathsOf, withEdit, type Edits } from './edits'
import { FileTree } from './FileTree'
import { placeOf, readable } from './module-error'
import { NewFile } from './NewFile'

/** The files of the served version, and buttons to edit and deploy them. */
export function Source({ shown }: { shown: EdgeFunction }) {
  const source = useQuery({
    queryKey: [...functionsKey, shown.name, 'source'],
    queryFn: ({ signal }) => get<FunctionSource>(path`/functions/${shown.name}/source`, {}, signal),
  })
  return (
    <Result query={source} what="the source">
      {(data) => (data.files.length === 0 ? <Empty title="It has no files." /> : <Files shown={shown} newest={data} />)}
    </Result>
  )
}

const leavesPage = ({ currentLocation: from, nextLocation: to }: Move) => from.pathname !== to.pathname

function Files({ shown, newest }: { shown: EdgeFunction; newest: FunctionSource }) {
  const client = useQueryClient()
  const isDeveloper = useMay('developer')
  // The version on which the edits are based. If a later version is deployed meanwhile, this one is kept.
  const [begun, setBegun] = useState<FunctionSource>()
  const [edits, setEdits] = useState<Edits>({})
  const [chosen, setChosen] = useState('')
  const [open, setOpen] = useState<'deploy' | 'new'>()
  const [failure, setFailure] = useState<{ text: string; mark: Mark }>()
  const count = Object.keys(edits).length
  useUnsaved(count > 0 ? `The changed files of ${shown.name} are not deployed.` : undefined, leavesPage)
  const source = count > 0 && begun ? begun : newest
  const paths = pathsOf(source, edits)
  const known = source.files.map((file) => file.path)
  const current =
    [chosen, paths.find((one) => one === source.entrypoint), paths.find((one) => one.endsWith('index.ts'))].find(
      (one) => one !== undefined && paths.includes(one),
    ) ?? paths[0]
  const mayEdit = isDeveloper && source.serves_versions
  const edit = (file: string, text: string | null | undefined) => {
    if (count === 0) setBegun(newest)
    setFailure(undefined)
    setEdits((before) => withEdit(source, before, file, text))
  }
  const discard = () => {
    setEdits({})
    setFailure(undefined)
  }
  const failed = (error: unknown): boolean => {
    if (!(error instanceof ApiError)) return false
    if (error.code === 'conflict') void client.invalidateQueries({ queryKey: [...functionsKey, shown.name] })
    const place = placeOf(error.message, paths)
    if (!place) return false
    const message = readable(error.message, paths)
    setChosen(place.file)
    setFailure({ text: message, mark: { place, message } })
    return true
  }
  const hasNewer = count > 0 && newest.revision !== source.revision
  return (
    <div className="grid gap-4">
      <WhyReadOnly isDeveloper={isDeveloper} servesVersions={source.serves_versions} />
      {hasNewer && (
        <div
          role="alert"
          className="grid justify-items-start gap-2 rounded border-l-6 border-destructive bg-destructive-wash p-3"
        >
          <p>
            Somebody changed the function since you began. Your changes are still here; nothing is deployed over the newer
            files. Continue on the newer files, and the review shows what your files would change in them.
          </p>
          <Button variant="outline" size="compact" onClick={() => setBegun(newest)}>
            Continue on the newer files
          </Button>
        </div>
      )}
      {failure && <Refused error={new Error(failure.text)} className="whitespace-pre-wrap" />}
      <div className="grid items-start gap-4 lg:grid-cols-[16rem_minmax(0,1fr)]">
        <div className="grid min-w-0 gap-3">
          <FileTree paths={paths} known={known} edits={edits} chosen={current ?? ''} onChoose={setChosen} />
          {mayEdit && (
            <Button variant="outline" size="compact" className="justify-self-start" onClick={() => setOpen('new')}>
              <FilePlus aria-hidden />
              New file
            </Button>
          )}
        </div>
        {current !== undefined && (
          <OneFile file={current} source={source} edits={edits} mayEdit={mayEdit} mark={failure?.mark} onEdit={edit} />
        )}
      </div>
      {mayEdit && (
        <div className="flex flex-wrap gap-2">
          <Button size="compact" disabled={count === 0} onClick={() => setOpen('deploy')}>
            Review and deploy{count > 0 && ` (${count})`}
          </Button>
          <Button variant="outline" size="compact" disabled={count === 0} onClick={discard}>
            Discard the changes
          </Button>
        </div>
      )}
      {open === 'new' && (
        <NewFile
          folder={source.entrypoint.split('/').slice(0, -1).join('/')}
          taken={paths}
          onAdd={(file) => {
            edit(file, '')
            setChosen(file)
            setOpen(undefined)
          }}
          onClose={() => setOpen(undefined)}
        />
      )}
      {open === 'deploy' && (
        <Deploy
          shown={shown}
          source={source}
          edits={edits}
          onClose={() => setOpen(undefined)}
          onDeployed={() => {
            discard()
            setOpen(undefined)
          }}
          onFailed={failed}
        />
      )}
    </div>
  )
}

function WhyReadOnly({ isDeveloper, servesVersions }: { isDeveloper: boolean; servesVersions: boolean }) {
  if (isDeveloper && servesVersions) return null
  return (
    <p className="text-muted-foreground">
      {isDeveloper
        ? 'This server serves the project’s folder and no deployed versions (cloch functions serve): change the files there.'
        : 'Your role reads the source. Developers and owners change and deploy it.'}
    </p>
  )
}

interface OneFileProps {
  file: string
  source: FunctionSource
  edits: Edits
  mayEdit: boolean
  mark: Mark | undefined
  onEdit: (file: string, text: string | null | undefined) => void
}

function OneFile({ file, source, edits, mayEdit, mark, onEdit }: OneFileProps) {
  const text = editedText(source, edits, file)
  const stored = source.files.find((one) => one.path === file)
  const isRemoved = edits[file] === null
  return (
    <section aria-label={file} className="grid min-w-0 gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <code className="min-w-0 break-all">{file}</code>
        {mayEdit && file !== source.entrypoint && !isRemoved && (
          <Button variant="ghost" size="compact" onClick={() => onEdit(file, null)}>
            <Trash2 aria-hidden />
            Remove the file
          </Button>
        )}
        {mayEdit && file in edits && stored !== undefined && (
          <Button variant="ghost" size="compact" onClick={() => onEdit(file, undefined)}>
            <Undo2 aria-hidden />
            Undo its changes
          </Button>
        )}
      </div>
      {isRemoved ? (
        <p>The new version will not have this file.</p>
      ) : text === undefined ? (
        <p>This file is no text, or too large to show: {formatBytes(stored?.bytes ?? 0)}. A new version has it as it is.</p>
      ) : (
        <CodeEditor path={file} text={text} isReadOnly={!mayEdit} mark={mark} onChange={onEdit} />
      )}
    </section>
  )
}
