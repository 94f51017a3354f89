import type { ReactNode } from 'react'
import { FormShell } from '@/components/form/FormShell'
import { PartsNav } from '@/components/form/PartsNav'
import { SuccessPanel } from '@/components/form/SuccessPanel'
import type { FormSpec, FormValues } from '@/lib/forms/form-spec'
import { useEntryForm, useStoredDraft } from '@/lib/forms/use-entry-form'
import { getContent } from '@/lib/site-content'
import { awardFolder, type FormType } from '@/lib/upload/paths'
import type { Accepted } from '@/lib/upload/rules'
import { useUploads, type Uploads } from '@/lib/upload/use-uploads'
import { Button } from '@cloch/ui/components/button'
import { useCorrection, useFormSpec } from './correction'
import { EntryLink } from './EntryLink'
import { PrivacyNotice, PrivacyShort } from './PrivacyNotice'
import { SentEntries } from './SentEntries'

interface AwardFormProps<Values extends FormValues, Entry> {
  spec: FormSpec<Values, Entry>
  files: {
    form: FormType
    accepted: Accepted
    /** Name of the field with the entrant's name. The folder of the files is named after the entrant. */
    named: keyof Values & string
  }
  submit: string
  done: { title: string; text: string; again: string }
  /** Renders the fields. The argument is the list of files. */
  children: (uploads: Uploads) => ReactNode
}

/** The parts that all award forms have in common: draft, files, sending, confirmation and privacy notice. */
export function AwardForm<Values extends FormValues, Entry>(props: AwardFormProps<Values, Entry>) {
  const { files, done, children } = props
  const correction = useCorrection()
  const spec = useFormSpec(props.spec)
  const stored = useStoredDraft(spec)
  const uploads = useUploads({
    bucket: 'youth-awards-submissions',
    accepted: files.accepted,
    folder: () => awardFolder(files.form, String(entry.form.getValues()[files.named] ?? '')),
    initial: stored?.files ?? [],
    sentBefore: correction?.entry.files.length ?? 0,
  })
  const entry = useEntryForm(spec, stored, uploads)

  if (entry.stage === 'sent') {
    if (correction) {
      return (
        <SuccessPanel title="Your correction is saved">
          <p>The club sees it, and what was there before.</p>
          <Button onClick={correction.reload}>Show the entry</Button>
        </SuccessPanel>
      )
    }
    return (
      <SuccessPanel title={done.title}>
        <p>{done.text}</p>
        {entry.entryLink === undefined ? null : <EntryLink form={spec.name} token={entry.entryLink} />}
        {getContent().entries.isClosed ? null : <Button onClick={entry.startAgain}>{done.again}</Button>}
      </SuccessPanel>
    )
  }
  const fileCount = uploads.items.filter(({ state }) => state === 'uploaded').length
  const aside = (
    <>
      <PartsNav parts={spec.parts} fileCount={fileCount} />
      <PrivacyShort />
    </>
  )
  return (
    <>
      {correction ? null : <SentEntries form={spec.name} />}
      <FormShell
        spec={spec}
        entry={entry}
        submit={correction ? 'Save the correction' : props.submit}
        submitting={correction ? 'Saving...' : 'Submitting...'}
        aside={aside}
      >
        {children(uploads)}
      </FormShell>
      <PrivacyNotice />
    </>
  )
}
