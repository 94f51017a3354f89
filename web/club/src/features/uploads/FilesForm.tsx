import { TextAreaField, TextField } from '@/components/form/fields'
import { FormSection } from '@/components/form/FormSection'
import { FormShell } from '@/components/form/FormShell'
import { SuccessPanel } from '@/components/form/SuccessPanel'
import { UploadField } from '@/components/form/UploadField'
import { useEntryForm, useStoredDraft } from '@/lib/forms/use-entry-form'
import { getContent } from '@/lib/site-content'
import { awardFolder } from '@/lib/upload/paths'
import { picturesAndText } from '@/lib/upload/rules'
import { useUploads } from '@/lib/upload/use-uploads'
import { Button } from '@cloch/ui/components/button'
import { filesForm } from './files-form'

/** Form that adds files to an entry that was sent before. */
export default function FilesForm() {
  const stored = useStoredDraft(filesForm)
  const uploads = useUploads({
    bucket: 'youth-awards-submissions',
    accepted: picturesAndText,
    folder: () => awardFolder('artist', entry.form.getValues('entrantName')),
    initial: stored?.files ?? [],
  })
  const entry = useEntryForm(filesForm, stored, uploads)

  if (entry.stage === 'sent') {
    return (
      <SuccessPanel title="Your files are with us">
        <p>We will review them with your original entry.</p>
        {getContent().entries.isClosed ? null : <Button onClick={entry.startAgain}>Send more files</Button>}
      </SuccessPanel>
    )
  }
  return (
    <FormShell spec={filesForm} entry={entry} submit="Submit Files" submitting="Submitting...">
      <FormSection id="files-form" title="Your files">
        <TextField
          name="entrantName"
          label="Name of the entrant"
          hint="As on the entry that they belong to."
          autoComplete="off"
        />
        <TextField name="organisation" label="School or organisation" autoComplete="off" />
        <TextAreaField name="additionalInfo" label="Anything we should know" rows={3} optional />
        <UploadField name="uploadedFiles" uploads={uploads} accepted={picturesAndText} />
      </FormSection>
    </FormShell>
  )
}
