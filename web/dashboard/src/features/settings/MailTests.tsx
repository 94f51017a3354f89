import { useQuery } from '@tanstack/react-query'
import { Eye, Pencil, Send } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Dialog } from '@/components/Dialog'
import { TextField } from '@/components/fields'
import { Refused, Result } from '@/components/states'
import { apiUrl, get, path, post } from '@/lib/api'
import { useOperator } from '@/lib/session'
import { useAction } from '@/lib/use-action'

/** Sends a test mail. The test uses the mail server in the saved settings, even if this server will be used for other mails only after a restart. */
export function TestMail({ isDraft }: { isDraft: boolean }) {
  const [to, setTo] = useState(useOperator().email)
  const send = useAction(() => post<{ reply: string }>('/settings/test-mail', { to }), {})
  return (
    <form
      className="grid max-w-lg gap-2 py-3"
      onSubmit={(event) => {
        event.preventDefault()
        send.mutate()
      }}
    >
      <TextField
        label="Send a test mail to"
        hint={isDraft ? 'Save first: the test uses the saved settings.' : 'It uses the saved settings, also before a restart.'}
        type="email"
        required
        value={to}
        onChange={setTo}
      />
      <Button
        type="submit"
        variant="outline"
        size="compact"
        className="justify-self-start"
        disabled={send.isPending || isDraft}
        aria-busy={send.isPending}
      >
        <Send aria-hidden />
        Send
      </Button>
      {send.isError && <Refused error={send.error} />}
      {send.data && (
        <p role="status">
          The mail server accepted the mail: <code className="break-all">{send.data.reply}</code>
        </p>
      )}
    </form>
  )
}

interface Template {
  subject: string
  /** Source text of the mail's template. */
  source: string
  is_own: boolean
  variables: string[]
}

/** A button that copies the current default text into the field for the custom text. */
export function BeginWithText({ kind, onText }: { kind: string; onText: (text: string) => void }) {
  const load = useAction(() => get<Template>(path`/settings/templates/${kind}`), {
    failed: 'The text could not be read',
    onDone: ({ source }) => onText(source),
  })
  return (
    <Button variant="outline" size="compact" className="mt-3 mr-2" disabled={load.isPending} onClick={() => load.mutate()}>
      <Pencil aria-hidden />
      Edit the text
    </Button>
  )
}

/** A button that shows the mail with sample values. */
export function TemplatePreview({ kind }: { kind: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="outline" size="compact" className="mt-3" onClick={() => setOpen(true)}>
        <Eye aria-hidden />
        Preview
      </Button>
      {isOpen && <PreviewDialog kind={kind} onClose={() => setOpen(false)} />}
    </>
  )
}

function PreviewDialog({ kind, onClose }: { kind: string; onClose: () => void }) {
  const template = useQuery({
    queryKey: ['settings', 'template', kind],
    queryFn: ({ signal }) => get<Template>(path`/settings/templates/${kind}`, {}, signal),
    staleTime: 0,
  })
  return (
    <Dialog title={`Mail ${kind}`} description="As saved, with sample values." onClose={onClose}>
      <Result query={template} what="the mail">
        {({ subject, is_own, variables }) => (
          <>
            <p>
              <span className="text-muted-foreground">Subject: </span>
              <strong>{subject}</strong>
              {!is_own && <span className="text-muted-foreground"> (Cloch’s own mail)</span>}
            </p>
            <iframe
              title="The mail as it looks"
              sandbox=""
              src={apiUrl(path`/settings/templates/${kind}/html`)}
              className="h-96 w-full rounded border bg-white"
            />
            <p className="text-small">
              Templates can use{' '}
              {variables.map((name) => (
                <code key={name} className="mr-2 inline-block">{`{{ .${name} }}`}</code>
              ))}
            </p>
          </>
        )}
      </Result>
    </Dialog>
  )
}
