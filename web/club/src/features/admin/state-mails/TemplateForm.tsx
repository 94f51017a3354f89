import { TextAreaField, TextField } from '@/components/form/fields'
import { fieldsSchema, type FieldInput, type FieldValues } from '../shared/fields/field-rules'
import type { RecordField } from '../shared/fields/record-field'
import { RecordDialog } from '../shared/RecordDialog'
import { orFallback, useRecordForm, type RecordFormSpec } from '../shared/use-record-form'
import { saveMailTemplate, type MailTemplate } from './queries/mail-templates'
import { placeholders, stateLabels, type MailState } from './states'

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

/** Form that edits the text of a state's mail. */
export function TemplateForm({ template, onClose }: { template: MailTemplate; onClose: () => void }) {
  const record = useRecordForm(spec, template, onClose)
  return (
    <RecordDialog
      title={`Edit mail: ${stateLabels[template.state as MailState]}`}
      submit="Save Template"
      record={record}
      labels={{ subject: 'Subject', body: 'Message' }}
      onClose={onClose}
    >
      <TextField name="subject" label="Subject" />
      <TextAreaField name="body" label="Message" hint={`Filled in for each entry: ${placeholders}.`} rows={12} />
    </RecordDialog>
  )
}
