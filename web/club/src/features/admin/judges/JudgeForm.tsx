import { useFormContext } from 'react-hook-form'
import { describedBy, FieldError, fieldClass, fieldId } from '@/components/form/Field'
import { TextAreaField, TextField, useFieldError } from '@/components/form/fields'
import { Checkbox } from '@cloch/ui/components/checkbox'
import { failedToSave } from '../shared/failures'
import { asText } from '../shared/form-text'
import { RecordDialog } from '../shared/RecordDialog'
import { useRecordForm, type RecordFormSpec } from '../shared/use-record-form'
import { categoryLabels, judgeCategories } from './categories'
import { categoriesOf, type Judge } from './queries/list-judges'
import { saveJudge } from './queries/save-judge'
import { judgeSchema, type JudgeInput, type JudgeValues } from './rules'

const spec: RecordFormSpec<Judge, JudgeValues, JudgeInput> = {
  name: 'judge',
  schema: judgeSchema,
  toValues: (judge) => ({
    name: asText(judge?.name),
    categories: judge ? categoriesOf(judge) : [],
    email: asText(judge?.email),
    phone: asText(judge?.phone),
    notes: asText(judge?.notes),
  }),
  save: saveJudge,
  saved: { added: 'Judge added successfully', updated: 'Judge updated successfully' },
  failed: failedToSave('judge'),
  stale: [['judges']],
}

const labels = { name: 'Name', email: 'Email', phone: 'Phone', notes: 'Notes' }

/** Form that adds or edits a judge. */
export function JudgeForm({ judge, onClose }: { judge: Judge | undefined; onClose: () => void }) {
  const record = useRecordForm(spec, judge, onClose)
  return (
    <RecordDialog
      title={judge ? 'Edit Judge' : 'Add Judge'}
      submit={judge ? 'Save Judge' : 'Add Judge'}
      record={record}
      labels={labels}
      onClose={onClose}
    >
      <TextField name="name" label="Name" />
      <CategoryPicker />
      <TextField name="email" label="Email" type="email" optional />
      <TextField name="phone" label="Phone" type="tel" optional />
      <TextAreaField name="notes" label="Notes" optional />
    </RecordDialog>
  )
}

function CategoryPicker() {
  const { register } = useFormContext()
  const error = useFieldError('categories')
  const id = fieldId('categories')
  return (
    <fieldset aria-describedby={describedBy(id, undefined, error)} className={fieldClass(error)}>
      <legend className="mb-1.5 font-strong">Categories</legend>
      <FieldError id={id} error={error} />
      <div id={id} tabIndex={-1} className="grid gap-x-6 sm:grid-cols-2">
        {judgeCategories.map((category) => (
          <label key={category} className="flex min-h-11 cursor-pointer items-center gap-3">
            <Checkbox value={category} {...register('categories')} />
            {categoryLabels[category]}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
