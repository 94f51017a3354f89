import { SelectField, TextAreaField, TextField } from '@/components/form/fields'
import { failedToSave } from '../shared/failures'
import { asText } from '../shared/form-text'
import { RecordDialog } from '../shared/RecordDialog'
import { useRecordForm, type RecordFormSpec } from '../shared/use-record-form'
import type { Guest } from './queries/list-guests'
import { saveGuest } from './queries/save-guest'
import { guestSchema, type GuestInput, type GuestValues } from './rules'
import { guestStatuses, statusLabels } from './status'

const spec: RecordFormSpec<Guest, GuestValues, GuestInput> = {
  name: 'guest',
  schema: guestSchema,
  toValues: (guest) => ({
    name: asText(guest?.name),
    email: asText(guest?.email),
    phone: asText(guest?.phone),
    organization: asText(guest?.organization),
    status: guest?.status ?? 'invited',
    notes: asText(guest?.notes),
  }),
  save: saveGuest,
  saved: { added: 'Guest added successfully', updated: 'Guest updated successfully' },
  failed: failedToSave('guest'),
  stale: [['guests']],
}

const labels = { name: 'Name', email: 'Email', phone: 'Phone', organization: 'Organization', status: 'Status', notes: 'Notes' }
const statuses = guestStatuses.map((status) => ({ value: status, label: statusLabels[status] }))

/** Form that adds or edits a guest. */
export function GuestForm({ guest, onClose }: { guest: Guest | undefined; onClose: () => void }) {
  const record = useRecordForm(spec, guest, onClose)
  return (
    <RecordDialog
      title={guest ? 'Edit Guest' : 'Add Guest'}
      submit={guest ? 'Save Guest' : 'Add Guest'}
      record={record}
      labels={labels}
      onClose={onClose}
    >
      <TextField name="name" label="Name" />
      <TextField name="email" label="Email" type="email" optional />
      <TextField name="phone" label="Phone" type="tel" optional />
      <TextField name="organization" label="Organization" optional />
      <SelectField name="status" label="Status" options={statuses} />
      <TextAreaField name="notes" label="Notes" optional />
    </RecordDialog>
  )
}
