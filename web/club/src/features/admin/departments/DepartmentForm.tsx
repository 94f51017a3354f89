import { useQuery } from '@tanstack/react-query'
import { SelectField, TextAreaField, TextField } from '@/components/form/fields'
import { schoolsQuery } from '../schools/queries/list-schools'
import { asText } from '../shared/form-text'
import { RecordDialog } from '../shared/RecordDialog'
import { orFallback, useRecordForm, type RecordFormSpec } from '../shared/use-record-form'
import type { Department } from './queries/list-departments'
import { saveDepartment } from './queries/save-department'
import { departmentSchema, type DepartmentInput, type DepartmentValues } from './rules'

const spec: RecordFormSpec<Department, DepartmentValues, DepartmentInput> = {
  name: 'department',
  schema: departmentSchema,
  toValues: (department) => ({
    school_id: asText(department?.school_id),
    name: asText(department?.name),
    notes: asText(department?.notes),
  }),
  save: saveDepartment,
  saved: { added: 'Department added successfully', updated: 'Department updated successfully' },
  failed: orFallback('Failed to save department'),
  stale: [['departments'], ['contacts']],
}

const labels = { name: 'Name', notes: 'Notes' }

/** Form that adds or edits a department. */
export function DepartmentForm({ department, onClose }: { department: Department | undefined; onClose: () => void }) {
  const { data: schools = [] } = useQuery(schoolsQuery)
  const record = useRecordForm(spec, department, onClose)
  return (
    <RecordDialog
      title={department ? 'Edit Department' : 'Add Department'}
      submit={department ? 'Save Department' : 'Add Department'}
      record={record}
      labels={labels}
      onClose={onClose}
    >
      <SelectField name="school_id" label="School" options={schools.map(({ id, name }) => ({ value: id, label: name }))} />
      <TextField name="name" label="Department name" />
      <TextAreaField name="notes" label="Notes" optional />
    </RecordDialog>
  )
}
