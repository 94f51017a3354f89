import { useQuery, keepPreviousData } from '@tanstack/react-query'
import { Eye, Send } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { Button } from '@cloch/ui/components/button'
import { Dialog } from '@/components/Dialog'
import { control, Field, SelectField, TextField } from '@/components/fields'
import { Refused, Result } from '@/components/states'
import { apiUrl, get, path, post } from '@/lib/api'
import { useAction } from '@/lib/use-action'
import type { Setting } from './contract'
import { shownText, type Draft } from './draft'
import {
  metadataOf,
  offsetOf,
  problemText,
  variantsOf,
  type MailTemplate,
  type Problem,
  type Rendered,
  type Sent,
} from './mail-draft'

interface MailEditorProps {
  kind: string
  subject: Setting
  text: Setting
  draft: Draft
  /** Whether the templates are read-only. A preview is possible in any case. */
  isDisabled: boolean
  onChange: (setting: Setting, value: string | null) => void
  onReview: () => void
}

/** A button that opens the editor of a mail's subject and text, with a preview. */
export function MailEditor(props: MailEditorProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        variant="outline"
        size="compact"
        className="mt-3"
        // Disabled while the draft restores the default text, because the loaded text is not the default text.
        disabled={props.draft.get(props.text.key) === null}
        onClick={() => setOpen(true)}
      >
        <Eye aria-hidden />
        Edit and preview
      </Button>
      {isOpen && <Editor {...props} onClose={() => setOpen(false)} />}
    </>
  )
}

function Editor(props: MailEditorProps & { onClose: () => void }) {
  const { kind, onClose } = props
  const saved = useQuery({
    queryKey: ['settings', 'template', kind],
    queryFn: ({ signal }) => get<MailTemplate>(path`/settings/templates/${kind}`, {}, signal),
    staleTime: 0,
    gcTime: 0,
  })
  return saved.data ? (
    <Body {...props} saved={saved.data} />
  ) : (
    <Dialog title={`Mail ${kind}`} onClose={onClose} className={wide}>
      <Result query={saved} what="the mail">
        {() => null}
      </Result>
    </Dialog>
  )
}

const wide = 'sm:w-[min(84rem,calc(100vw-2rem))]'

type BodyProps = MailEditorProps & { saved: MailTemplate; onClose: () => void }

function Body({ kind, subject, text, draft, isDisabled, saved, onChange, onReview, onClose }: BodyProps) {
  const first = {
    subject: shownText(subject, draft) || saved.subject_source,
    content: shownText(text, draft) || saved.source,
  }
  const [typed, setTyped] = useState(first)
  const [chosen, setChosen] = useState<ReadonlyMap<string, string>>(new Map())
  const area = useRef<HTMLTextAreaElement>(null)
  const variants = variantsOf(`${typed.subject}\n${typed.content}`)
  const shown = new Map(variants.map(({ path: at }) => [at, chosen.get(at) ?? '']))
  const asked = useDelayed({ kind, ...typed, data: metadataOf(shown) })
  const rendered = useQuery({
    queryKey: ['settings', 'mail-draft', asked],
    queryFn: ({ signal }) => post<Rendered>('/settings/mail-draft', asked, signal),
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  })
  const send = useAction(() => post<Sent>('/settings/mail-draft/send', { kind, ...typed, data: metadataOf(shown) }), {})
  const isChanged = typed.subject !== first.subject || typed.content !== first.content
  const mayChange = !isDisabled && text.locked === null && subject.locked === null
  const problems = rendered.data?.problems ?? []
  const isBroken = problems.some(({ is_for_user }) => !is_for_user)
  const keep = (next?: () => void) => {
    if (typed.subject !== first.subject) onChange(subject, typed.subject === '' ? null : typed.subject)
    if (typed.content !== first.content) onChange(text, typed.content.trim() === '' ? null : typed.content)
    onClose()
    next?.()
  }
  const goTo = ({ line, column }: Problem) => {
    const at = offsetOf(typed.content, line, column)
    area.current?.focus()
    area.current?.setSelectionRange(at, Math.min(typed.content.length, at + 1))
  }
  const insert = (name: string) => {
    const at = area.current?.selectionEnd ?? typed.content.length
    setTyped({ ...typed, content: `${typed.content.slice(0, at)}{{ .${name} }}${typed.content.slice(at)}` })
  }
  const footer = (
    <>
      {mayChange && (
        <>
          <Button size="compact" disabled={!isChanged || isBroken} onClick={() => keep(onReview)}>
            Review and save
          </Button>
          <Button variant="outline" size="compact" disabled={!isChanged || isBroken} onClick={() => keep()}>
            Keep the changes
          </Button>
        </>
      )}
      <Button
        variant="outline"
        size="compact"
        disabled={send.isPending || problems.length > 0}
        aria-busy={send.isPending}
        onClick={() => send.mutate()}
      >
        <Send aria-hidden />
        Send to me
      </Button>
      <Button variant="outline" size="compact" onClick={onClose}>
        {isChanged ? 'Cancel' : 'Close'}
      </Button>
      {send.data && <SentText sent={send.data} />}
    </>
  )
  return (
    <Dialog
      title={`Mail ${kind}`}
      description={
        mayChange
          ? 'Kept changes are saved later, together with the other changes of settings.'
          : (text.locked ?? 'It cannot be changed here now.')
      }
      onClose={onClose}
      isDirty={isChanged}
      footer={footer}
      className={wide}
    >
      {send.isError && <Refused error={send.error} />}
      <div className="grid gap-x-6 gap-y-4 lg:grid-cols-2">
        <div className="grid min-w-0 content-start gap-3">
          <TextField
            label="Subject"
            value={typed.subject}
            readOnly={!mayChange}
            spellCheck={false}
            onChange={(value) => setTyped({ ...typed, subject: value })}
          />
          <Field label="Text">
            {(wiring) => (
              <textarea
                {...wiring}
                ref={area}
                data-first-field
                rows={16}
                readOnly={!mayChange}
                spellCheck={false}
                className={`${control} resize-y py-2 font-mono text-small`}
                value={typed.content}
                onChange={(event) => setTyped({ ...typed, content: event.target.value })}
              />
            )}
          </Field>
          <Problems problems={problems} onGoTo={goTo} />
          <Samples samples={saved.samples} onInsert={mayChange ? insert : undefined} />
        </div>
        <div className="grid min-w-0 content-start gap-3">
          {variants.map(({ path: at, values }) => (
            <SelectField
              key={at}
              label={`For a user whose Data.${at} is`}
              className="max-w-80"
              value={shown.get(at) ?? ''}
              onChange={(value) => setChosen(new Map(chosen).set(at, value))}
            >
              <option value="">not set</option>
              {values.map((value) => (
                <option key={value} value={value}>
                  {value}
                </option>
              ))}
            </SelectField>
          ))}
          {rendered.isError && <Refused error={rendered.error} />}
          {rendered.data && !problems.some(({ part }) => part === 'content') && (
            <Preview subject={rendered.data.subject} at={rendered.dataUpdatedAt} />
          )}
        </div>
      </div>
    </Dialog>
  )
}

function Preview({ subject, at }: { subject: string; at: number }) {
  return (
    <section aria-label="Preview" className="overflow-hidden rounded border">
      <p className="border-b bg-muted px-3 py-2 break-words">
        <span className="text-muted-foreground">Subject: </span>
        <strong>{subject}</strong>
      </p>
      {/* The key makes a new frame for each preview, so that the browser's Back button does not go through former previews. */}
      <iframe
        key={at}
        title="The mail as it looks"
        sandbox=""
        src={apiUrl('/settings/mail-draft/html', { at })}
        className="h-[min(34rem,60vh)] w-full bg-white"
      />
    </section>
  )
}

function Problems({ problems, onGoTo }: { problems: readonly Problem[]; onGoTo: (problem: Problem) => void }) {
  return (
    <div role="status" aria-label="Errors of the template" className="grid gap-2 empty:hidden">
      {problems.map((problem) => (
        <div
          key={problemText(problem)}
          className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded border-l-6 border-destructive bg-destructive-wash px-3 py-2"
        >
          <span className="min-w-0 flex-1 break-words">{problemText(problem)}</span>
          {problem.part === 'content' && problem.line > 0 && (
            <Button variant="outline" size="compact" onClick={() => onGoTo(problem)}>
              Go there
            </Button>
          )}
        </div>
      ))}
    </div>
  )
}

function Samples({ samples, onInsert }: { samples: MailTemplate['samples']; onInsert: ((name: string) => void) | undefined }) {
  return (
    <details>
      <summary className="cursor-pointer font-strong">Variables and sample values</summary>
      <ul className="mt-2 grid">
        {Object.entries(samples).map(([name, sample]) => (
          <li key={name} className="flex flex-wrap items-center gap-x-3 border-b py-1 text-small">
            <code className="min-w-44">{`{{ .${name} }}`}</code>
            <span className="min-w-0 flex-1 break-all text-muted-foreground">
              {name === 'Data' ? 'metadata of the user, such as .Data.name' : String(sample)}
            </span>
            {onInsert && (
              <Button variant="ghost" size="compact" aria-label={`Insert ${name}`} onClick={() => onInsert(name)}>
                Insert
              </Button>
            )}
          </li>
        ))}
      </ul>
    </details>
  )
}

function SentText({ sent }: { sent: Sent }) {
  return (
    <p role="status" className="text-small">
      {sent.is_in_inbox ? (
        <>
          No mail server is configured. The mail to {sent.to} is in <Link to="/mail">Mail</Link>.
        </>
      ) : (
        <>
          Sent to {sent.to}. The mail server said: <code className="break-all">{sent.reply}</code>
        </>
      )}
    </p>
  )
}

/** Returns a value after it has not changed for a moment, so that typing causes few requests. */
function useDelayed<T>(value: T): T {
  const [delayed, setDelayed] = useState(value)
  const text = JSON.stringify(value)
  const latest = useRef(value)
  useEffect(() => {
    latest.current = value
  })
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(latest.current), 400)
    return () => clearTimeout(timer)
  }, [text])
  return delayed
}
