import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Code } from '@/components/Copy'
import { Dialog } from '@/components/Dialog'
import { Diff } from '@/components/Diff'
import { TextField } from '@/components/fields'
import { Refused, Result } from '@/components/states'
import { post } from '@/lib/api'
import { notifyError } from '@/lib/notify'
import { useAction } from '@/lib/use-action'
import type { Change, Preview, Saved } from './contract'
import { savedText } from './effect'

/** Dialog that shows a change as a diff of the project's files, before it is written to them. */
export function Review({
  changes,
  waiting,
  onClose,
  onSaved,
}: {
  changes: Change[]
  /** Keys of the settings whose new values take effect only after a restart. */
  waiting: string[]
  onClose: () => void
  onSaved: () => void
}) {
  const [typed, setTyped] = useState('')
  const preview = useQuery({
    // The changes may contain a secret. Therefore they are not part of the query key, and the result is deleted when the dialog closes.
    queryKey: ['settings', 'preview'],
    queryFn: ({ signal }) => post<Preview>('/settings/preview', { changes }, signal),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })
  const shown = preview.data
  const confirmed = shown?.confirm.map(({ key }) => key) ?? []
  const save = useAction(
    () =>
      post<Saved>('/settings/apply', {
        changes,
        versions: shown
          ? [...shown.files.map(({ version }) => version), ...(shown.env_version ? [shown.env_version] : [])]
          : [],
        confirmed,
      }),
    {
      done: savedText,
      refresh: [
        ['settings', 'editable'],
        ['settings', 'all'],
        ['settings', 'nodes'],
      ],
      onDone: ({ problem }) => {
        if (problem !== null) notifyError('The server goes on with the settings before.', new Error(problem))
        onSaved()
      },
    },
  )
  const isUnchanged = shown?.files.length === 0 && shown.env_file === null
  const isConfirmed = confirmed.length === 0 || typed.trim() === confirmed.join(' ')
  const maySave = shown !== undefined && shown.writable && !isUnchanged && isConfirmed
  const footer = (
    <>
      <Button size="compact" disabled={!maySave || save.isPending} aria-busy={save.isPending} onClick={() => save.mutate()}>
        Save
      </Button>
      <Button variant="outline" size="compact" onClick={onClose}>
        Cancel
      </Button>
    </>
  )
  return (
    <Dialog
      title="Review the change"
      description="These lines of the project’s files change. The whole configuration was checked as at a start."
      onClose={onClose}
      footer={footer}
    >
      <Result query={preview} what="the change">
        {(data) => (
          <>
            {isUnchanged && <p>The files already say this. Nothing changes.</p>}
            {data.files.map(({ file, diff }) => (
              // The first two lines of the diff are left out: they contain the file's name, which is in the heading.
              <Diff key={file} file={file} lines={diff.split('\n').slice(2, -1)} />
            ))}
            {data.env_file !== null && <Secrets file={data.env_file} variables={data.variables} />}
            {!isUnchanged && waiting.length > 0 && (
              <p>
                In effect after a restart:{' '}
                {waiting.map((key, index) => (
                  <span key={key}>
                    {index > 0 && ', '}
                    <code className="break-all">{key}</code>
                  </span>
                ))}
              </p>
            )}
            {data.warnings.map((warning) => (
              <p key={warning} className="rounded border-l-6 border-input bg-muted p-3">
                {warning}
              </p>
            ))}
            {!data.writable && <Paste files={data.files} />}
            {data.confirm.map(({ key, consequence }) => (
              <p key={key} className="rounded border-l-6 border-destructive bg-destructive-wash p-3">
                <code>{key}</code>: {consequence}
              </p>
            ))}
            {confirmed.length > 0 && data.writable && (
              <TextField
                label={`Type ${confirmed.join(' ')} to save`}
                value={typed}
                onChange={setTyped}
                autoComplete="off"
                spellCheck={false}
              />
            )}
          </>
        )}
      </Result>
      {save.isError && <Refused error={save.error} />}
    </Dialog>
  )
}

function Secrets({ file, variables }: { file: string; variables: string[] }) {
  return (
    <p>
      {variables.length > 0 ? (
        <>
          {variables.map((name) => (
            <code key={name} className="mr-1 break-all">
              {name}
            </code>
          ))}
          is written to <code>{file}</code> of the project. Keep that file out of version control. Other nodes of the project
          get the secret encrypted, through the database.
        </>
      ) : (
        <>
          The secret is removed from <code>{file}</code>.
        </>
      )}
    </p>
  )
}

function Paste({ files }: { files: Preview['files'] }) {
  const pasted = files.flatMap(({ file, paste }) => (paste === null ? [] : [`# ${file}\n${paste}`])).join('\n')
  return (
    <section className="grid gap-2">
      <p className="font-strong">The project’s folder is read-only here. Make this change in your repository:</p>
      <Code text={pasted} label="lines of the change" />
    </section>
  )
}
