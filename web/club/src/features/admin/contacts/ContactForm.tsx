import { SelectField, TextAreaField, TextField } from '@/components/form/fields'
import { asText } from '../shared/form-text'
import { RecordDialog } from '../shared/RecordDialog'
import { orFallback, useRecordForm, type RecordFormSpec } from '../shared/use-record-form'
import { DepartmentPicker } from './DepartmentPicker'
import { departmentsOf } from './departments-of'
import type { Contact } from './queries/list-contacts'
import { saveContact } from './queries/save-contact'
import { contactSchema, type ContactInput, type ContactValues } from './rules'
import { contactStatuses, statusLabels } from './status'

const spec: RecordFormSpec<Contact, ContactValues, ContactInput> = {
  name: 'contact',
  schema: contactSchema,
  toValues: (contact) => ({
    departments: contact ? departmentsOf(contact).map(({ id }) => id) : [],
    name: asText(contact?.name),
    email: asText(contact?.email),
    phone: asText(contact?.phone),
    position: asText(contact?.position),
    status: contact?.status ?? 'not_contacted',
    notes: asText(contact?.notes),
  }),
  save: saveContact,
  saved: { added: 'Contact added successfully', updated: 'Contact updated successfully' },
  failed: orFallback('Failed to save contact'),
  stale: [['contacts']],
}

const labels = { name: 'Name', email: 'Email', phone: 'Phone', position: 'Position', status: 'Status', notes: 'Notes' }
const statuses = contactStatuses.map((status) => ({ value: status, label: statusLabels[status] }))

/** Form that adds or edits a contact. */
export function ContactForm({ contact, onClose }: { contact: Contact | undefined; onClose: () => void }) {
  const record = useRecordForm(spec, contact, onClose)
  return (
    <RecordDialog
      title={contact ? 'Edit Contact' : 'Add Contact'}
      submit={contact ? 'Save Contact' : 'Add Contact'}
      record={record}
      labels={labels}
      onClose={onClose}
    >
      <TextField name="name" label="Contact name" />
      <DepartmentPicker />
      <TextField name="position" label="Position" optional />
      <TextField name="email" label="Email" type="email" optional />
      <TextField name="phone" label="Phone" type="tel" optional />
      <SelectField name="status" label="Status" options={statuses} />
      <TextAreaField name="notes" label="Notes" optional />
    </RecordDialog>
  )
}
