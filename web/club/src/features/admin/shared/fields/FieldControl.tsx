import { SelectField, TextAreaField, TextField } from '@/components/form/fields'
import type { RecordField } from './record-field'

const yesOrNo = ['yes', 'no']

/** The control for one column of a record. */
export function FieldControl({ field: { name, label, hint, kind, options = [], isRequired } }: { field: RecordField }) {
  const shared = { name, label, hint, optional: !isRequired }
  switch (kind) {
    case 'id':
      return null
    case 'choice':
      return <SelectField {...shared} options={options.map((value) => ({ value, label: value }))} />
    case 'yes-no':
      return <SelectField {...shared} optional={false} options={yesOrNo.map((value) => ({ value, label: value }))} />
    case 'long':
      return <TextAreaField {...shared} rows={4} />
    case 'number':
      return <TextField {...shared} inputMode="numeric" />
    default:
      return <TextField {...shared} type={kind} />
  }
}
