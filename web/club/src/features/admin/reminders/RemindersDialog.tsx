import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Checkbox } from '@cloch/ui/components/checkbox'
import { Dialog, DialogBody, DialogContent, DialogFooter, DialogHeader, DialogTitle } from '@cloch/ui/components/dialog'
import { NativeSelect } from '@cloch/ui/components/native-select'
import { notifySuccess } from '@cloch/ui/lib/notify'
import type { Season } from '../seasons/queries/list-seasons'
import { dueDate } from '../shared/due-date'
import { LoadFailed } from '../shared/LoadFailed'
import { MailPreview } from '../state-mails/MailPreview'
import { mailTemplatesQuery } from '../state-mails/queries/mail-templates'
import { TemplateForm } from '../state-mails/TemplateForm'
import { recipientsQuery, reminderPreviewQuery, useSendReminders } from './queries/reminders'
import { RecipientList } from './RecipientList'
import {
  audienceHints,
  audienceLabels,
  audiences,
  isAudience,
  isRecent,
  placeholders,
  sentence,
  type Audience,
  type Recipient,
} from './reminders'

interface RemindersDialogProps {
  /** The season whose last day is named in the mails. */
  season: Season
  onClose: () => void
}

/** Dialog that reminds a group before the last day for entries. Steps: choose the group, check its list and the preview, send. */
export function RemindersDialog({ season, onClose }: RemindersDialogProps) {
  const id = useId()
  const [audience, setAudience] = useState<Audience>('schools')
  const [now] = useState(() => Date.now())
  // Undefined until the administrator changes the selection. All recipients who were not reminded recently are then selected.
  const [selection, setSelection] = useState<ReadonlySet<string>>()
  const [isAgain, setAgain] = useState(false)
  const [editing, setEditing] = useState(false)
  const groups = {
    schools: useQuery(recipientsQuery('schools')),
    files: useQuery(recipientsQuery('files')),
    consent: useQuery(recipientsQuery('consent')),
  }
  const { data: templates } = useQuery(mailTemplatesQuery)
  const send = useSendReminders()
  const template = templates?.find(({ state }) => state === `reminder_${audience}`)
  const group = groups[audience]
  const usual = (group.data ?? []).filter((each) => each.can_be_mailed && !isRecent(each, now)).map((each) => each.recipient)
  const chosen = selection ?? new Set(usual)
  const wanted = (group.data ?? []).filter(({ recipient }) => chosen.has(recipient))
  const recent = wanted.filter((each) => isRecent(each, now)).length
  const [first] = wanted

  const sendAll = () =>
    send.mutate(
      { audience, recipients: wanted.map(({ recipient }) => recipient), again: isAgain },
      {
        onSuccess: (outcomes) => {
          const nameOf = (recipient: string) => wanted.find((each) => each.recipient === recipient)?.name ?? 'a recipient'
          notifySuccess({ title: 'Success', description: sentence(outcomes, nameOf) })
          setSelection(new Set())
          setAgain(false)
        },
      },
    )

  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent aria-describedby={undefined}>
        <DialogHeader>
          <DialogTitle>Reminders before {dueDate(season.deadline_on)}</DialogTitle>
        </DialogHeader>
        <DialogBody className="flex-1">
          <div className="grid gap-1.5">
            <label htmlFor={`${id}-group`} className="font-strong">
              Group
            </label>
            <p id={`${id}-hint`} className="text-[0.9688rem] leading-snug text-muted-foreground">
              {audienceHints[audience]} Each address gets one mail, and nothing is sent after the last day.
            </p>
            <NativeSelect
              id={`${id}-group`}
              aria-describedby={`${id}-hint`}
              value={audience}
              onChange={({ target }) => {
                if (isAudience(target.value)) setAudience(target.value)
                setSelection(undefined)
                setAgain(false)
              }}
            >
              {audiences.map((each) => (
                <option key={each} value={each}>
                  {audienceLabels[each]}
                  {groups[each].data ? ` (${groups[each].data.length})` : ''}
                </option>
              ))}
            </NativeSelect>
            <Button
              size="sm"
              variant="outline"
              className="justify-self-start"
              disabled={!template}
              onClick={() => setEditing(true)}
            >
              Edit the text
            </Button>
          </div>
          {group.isError ? <LoadFailed onRetry={() => void group.refetch()}>Failed to load the recipients</LoadFailed> : null}
          {group.isPending ? <p role="status">Loading...</p> : null}
          {group.data?.length === 0 ? <p>Nobody has to be reminded.</p> : null}
          {group.data && group.data.length > 0 ? (
            <RecipientList recipients={group.data} chosen={chosen} onChoose={setSelection} />
          ) : null}
          {recent > 0 ? (
            <label className="flex min-h-11 items-center gap-3">
              <Checkbox checked={isAgain} onChange={(event) => setAgain(event.target.checked)} />
              {recent === 1 ? 'One of them was' : `${recent} of them were`} reminded in the last 24 hours. Remind again.
            </label>
          ) : null}
          {first ? <Preview audience={audience} recipient={first} /> : null}
        </DialogBody>
        <DialogFooter>
          <Button
            disabled={wanted.length === 0 || (recent > 0 && !isAgain) || send.isPending}
            aria-busy={send.isPending}
            onClick={sendAll}
          >
            {send.isPending ? 'Sending...' : `Send ${wanted.length} ${wanted.length === 1 ? 'Reminder' : 'Reminders'}`}
          </Button>
          <Button variant="outline" onClick={onClose}>
            Close
          </Button>
        </DialogFooter>
        {editing && template ? (
          <TemplateForm
            template={template}
            label={audienceLabels[audience]}
            hint={`Filled in for each mail: ${placeholders}.`}
            onClose={() => setEditing(false)}
          />
        ) : null}
      </DialogContent>
    </Dialog>
  )
}

function Preview({ audience, recipient }: { audience: Audience; recipient: Recipient }) {
  const preview = useQuery(reminderPreviewQuery(audience, recipient.recipient))
  return (
    <MailPreview
      name={recipient.name}
      preview={preview}
      none={`${recipient.name} gets no mail: what was missing has arrived.`}
    />
  )
}
