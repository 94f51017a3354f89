import { TextAreaField, TextField } from '@/components/form/fields'
import { fieldsSchema, type FieldInput, type FieldValues } from '../shared/fields/field-rules'
import type { RecordField } from '../shared/fields/record-field'
import { RecordDialog } from '../shared/RecordDialog'
import { orFallback, useRecordForm, type RecordFormSpec } from '../shared/use-record-form'
import { saveMailTemplate, type MailTemplate } from './queries/mail-templates'

const fields: RecordField[] = [
  { name: 'subject', label: 'Subject', kind: 'text', max: 200, isRequired: true },
  { name: 'body', label: 'Message', kind: 'long', max: 5000, isRequired: true },
]

const spec: RecordFormSpec<MailTemplate, FieldValues, FieldInput> = {
  name: 'mail template',
  schema: fieldsSchema(fields),
  toValues: (template) => ({ subject: template?.subject ?? '', body: template?.body ?? '' }),
  save: async ({ subject, body }, base) => {
    if (base && typeof subject === 'string' && typeof body === 'string') await saveMailTemplate({ subject, body }, base)
  },
  saved: { added: '', updated: 'Template updated successfully' },
  failed: orFallback('Failed to save template'),
  stale: [['mail-templates'], ['mail-preview']],
}

interface TemplateFormProps {
  template: MailTemplate
  /** The name of the mail. */
  label: string
  /** Hint at the text field that lists the placeholders. */
  hint: string
  onClose: () => void
}

/** Form that edits the text of a mail. */
export function TemplateForm({ template, label, hint, onClose }: TemplateFormProps) {
  const record = useRecordForm(spec, template, onClose)
  return (
    <RecordDialog
      title={`Edit mail: ${label}`}
      submit="Save Template"
      record={record}
      labels={{ subject: 'Subject', body: 'Message' }}
      onClose={onClose}
    >
      <TextField name="subject" label="Subject" />
      <TextAreaField name="body" label="Message" hint={hint} rows={12} />
    </RecordDialog>
  )
}
