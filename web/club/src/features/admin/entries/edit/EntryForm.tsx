import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { SelectField } from '@/components/form/fields'
import { schoolsQuery } from '../../schools/queries/list-schools'
import { awardNames } from '../../shared/award'
import { FieldControl } from '../../shared/fields/FieldControl'
import { changedColumns, fieldsSchema, toValues, type FieldInput, type FieldValues } from '../../shared/fields/field-rules'
import { RecordDialog } from '../../shared/RecordDialog'
import { orFallback, useRecordForm, type RecordFormSpec } from '../../shared/use-record-form'
import type { Stamped } from '../../shared/stale'
import type { Entry } from '../entry'
import { entryFields } from './entry-fields'
import { saveEntry } from './save-entry'

type EntryRow = Stamped & Record<string, unknown>

function specOf({ award }: Entry): RecordFormSpec<EntryRow, FieldValues, FieldInput> {
  const fields = entryFields[award]
  const schema = fieldsSchema(fields)
  return {
    name: `entry of ${award}`,
    schema,
    toValues: (row) => toValues(fields, row ?? {}),
    save: async (input, base) => {
      // This form cannot create an entry. If another admin has deleted the entry, saving fails instead of creating it again.
      if (!base) throw new Error('This entry has been deleted.')
      const before = toValues(fields, base)
      const after = toValues(fields, input)
      await saveEntry({ award, row: base }, changedColumns(input, before, after))
    },
    saved: { added: '', updated: `${awardNames[award].record} updated successfully` },
    failed: orFallback('Failed to save entry'),
    stale: [['entries', award]],
  }
}

/** Form that corrects an entry. The history of the entry keeps the previous values. */
export function EntryForm({ entry, onClose }: { entry: Entry; onClose: () => void }) {
  const spec = useMemo(() => specOf(entry), [entry])
  const { data: schools = [] } = useQuery(schoolsQuery)
  const record = useRecordForm(spec, entry.row as unknown as EntryRow, onClose)
  const fields = entryFields[entry.award]
  const labels = Object.fromEntries(fields.map(({ name, label }) => [name, label]))
  return (
    <RecordDialog
      title={`Edit ${awardNames[entry.award].record}`}
      submit={`Save ${awardNames[entry.award].record}`}
      record={record}
      labels={labels}
      onClose={onClose}
    >
      <SelectField
        name="school_id"
        label="School"
        optional
        options={schools.map(({ id, name }) => ({ value: id, label: name }))}
      />
      {fields.map((field) => (
        <FieldControl key={field.name} field={field} />
      ))}
    </RecordDialog>
  )
}
