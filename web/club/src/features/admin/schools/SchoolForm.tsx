import { TextAreaField, TextField } from '@/components/form/fields'
import { asText } from '../shared/form-text'
import { RecordDialog } from '../shared/RecordDialog'
import { orFallback, useRecordForm, type RecordFormSpec } from '../shared/use-record-form'
import type { School } from './queries/list-schools'
import { saveSchool } from './queries/save-school'
import { schoolSchema, type SchoolInput, type SchoolValues } from './rules'

const spec: RecordFormSpec<School, SchoolValues, SchoolInput> = {
  name: 'school',
  schema: schoolSchema,
  toValues: (school) => ({
    name: asText(school?.name),
    location: asText(school?.location),
    phone: asText(school?.phone),
    email: asText(school?.email),
    notes: asText(school?.notes),
  }),
  save: saveSchool,
  saved: { added: 'School added successfully', updated: 'School updated successfully' },
  failed: orFallback('Failed to save school'),
  // Entries, departments and contacts contain the names of schools too. Therefore they are read again.
  stale: [['schools'], ['departments'], ['contacts'], ['entries'], ['offline']],
}

const labels = { name: 'Name', location: 'Location', phone: 'Phone', email: 'Email', notes: 'Notes' }

/** Form that adds or edits a school. */
export function SchoolForm({ school, onClose }: { school: School | undefined; onClose: () => void }) {
  const record = useRecordForm(spec, school, onClose)
  return (
    <RecordDialog
      title={school ? 'Edit School' : 'Add School'}
      submit={school ? 'Save School' : 'Add School'}
      record={record}
      labels={labels}
      onClose={onClose}
    >
      <TextField name="name" label="School name" />
      <TextField name="location" label="Location" optional />
      <TextField name="phone" label="Phone" type="tel" optional />
      <TextField name="email" label="Email" type="email" optional />
      <TextAreaField name="notes" label="Notes" optional />
    </RecordDialog>
  )
}
