import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Dialog, DialogBody, DialogContent, DialogFooter, DialogHeader, DialogTitle } from '@cloch/ui/components/dialog'
import { NativeSelect } from '@cloch/ui/components/native-select'
import { notifySuccess } from '@cloch/ui/lib/notify'
import { awardNames, type Award } from '../shared/award'
import { MailChoice } from './MailChoice'
import { MailPreview } from './MailPreview'
import { ReceiptPreview } from './ReceiptPreview'
import { mailTemplatesQuery } from './queries/mail-templates'
import { entryMailsQuery, mailPreviewQuery, useSendStateMails } from './queries/state-mails'
import {
  entryStates,
  placeholders,
  sentence,
  sharedAddresses,
  stateLabels,
  type EntryState,
  type MailedEntry,
  type MailState,
} from './states'
import { TemplateForm } from './TemplateForm'

interface StateMailsDialogProps {
  award: Award
  /** The award's entries that are not withdrawn. */
  entries: readonly MailedEntry[]
  onClose: () => void
}

/** Dialog that sends a mail to selected entries of an award and so changes their state. Steps: select the entries, preview the mail, send it. */
export function StateMailsDialog({ award, entries, onClose }: StateMailsDialogProps) {
  const id = useId()
  const [state, setState] = useState<EntryState>('shortlisted')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [editing, setEditing] = useState(false)
  const mails = useQuery(entryMailsQuery)
  const { data: templates } = useQuery(mailTemplatesQuery)
  const send = useSendStateMails()
  const template = templates?.find((each) => each.state === state)
  const sent = new Set(mails.data?.filter((mail) => mail.state === state).map(({ entry }) => entry))
  const wanted = entries.filter((entry) => chosen.has(entry.id) && !sent.has(entry.id))
  const [first] = wanted

  const sendAll = () => {
    if (state === 'received') return
    send.mutate(
      { award, entries: wanted.map((entry) => entry.id), state },
      {
        onSuccess: (outcomes) => {
          const nameOf = (entry: string) => entries.find((each) => each.id === entry)?.name ?? 'an entry'
          notifySuccess({ title: 'Success', description: sentence(outcomes, nameOf) })
          setChosen(new Set())
        },
      },
    )
  }

  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent aria-describedby={undefined}>
        <DialogHeader>
          <DialogTitle>Mails: {awardNames[award].label}</DialogTitle>
        </DialogHeader>
        <DialogBody className="flex-1">
          <div className="grid gap-1.5">
            <label htmlFor={`${id}-state`} className="font-strong">
              Mail
            </label>
            <p id={`${id}-hint`} className="text-[0.9688rem] leading-snug text-muted-foreground">
              {state === 'received'
                ? 'The server sends the receipt by itself when an entry arrives, with a text that cannot be edited. Below is the receipt of one entry. If one address sends several entries within an hour, one receipt lists them all.'
                : 'An entry comes into this state when its mail is sent. Each entry gets the mail of a state once.'}
            </p>
            <NativeSelect
              id={`${id}-state`}
              aria-describedby={`${id}-hint`}
              value={state}
              onChange={(event) => {
                setState(entryStates.find((each) => each === event.target.value) ?? 'shortlisted')
                setChosen(new Set())
              }}
            >
              {entryStates.map((each) => (
                <option key={each} value={each}>
                  {stateLabels[each]}
                </option>
              ))}
            </NativeSelect>
            {state === 'received' ? null : (
              <Button
                size="sm"
                variant="outline"
                className="justify-self-start"
                disabled={!template}
                onClick={() => setEditing(true)}
              >
                Edit the text
              </Button>
            )}
          </div>
          {state === 'received' ? <ReceiptPreview entries={entries} /> : null}
          {state === 'received' ? null : mails.data === undefined ? (
            <p role="status">Loading...</p>
          ) : (
            <MailChoice entries={entries} sent={sent} chosen={chosen} onChoose={setChosen} />
          )}
          {sharedAddresses(wanted).map(([address, count]) => (
            <p key={address} role="status" className="[overflow-wrap:anywhere]">
              {count} of the chosen entries have the address <strong className="font-strong">{address}</strong>. Please check
              that it is the right one: anybody can type an address into a form.
            </p>
          ))}
          {first && state !== 'received' ? <StatePreview entry={first} state={state} /> : null}
        </DialogBody>
        <DialogFooter>
          {state === 'received' ? null : (
            <Button disabled={wanted.length === 0 || send.isPending} aria-busy={send.isPending} onClick={sendAll}>
              {send.isPending ? 'Sending...' : `Send to ${wanted.length} ${wanted.length === 1 ? 'Entry' : 'Entries'}`}
            </Button>
          )}
          <Button variant="outline" onClick={onClose}>
            Close
          </Button>
        </DialogFooter>
        {editing && template ? (
          <TemplateForm
            template={template}
            label={stateLabels[state]}
            hint={`Filled in for each entry: ${placeholders}.`}
            onClose={() => setEditing(false)}
          />
        ) : null}
      </DialogContent>
    </Dialog>
  )
}

function StatePreview({ entry, state }: { entry: MailedEntry; state: MailState }) {
  const preview = useQuery(mailPreviewQuery({ award: entry.award, entry: entry.id, state }))
  return (
    <MailPreview name={entry.name} preview={preview} none={`${entry.name} gets no mail: the entry was withdrawn or deleted.`} />
  )
}
