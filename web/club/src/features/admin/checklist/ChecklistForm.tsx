import { TextAreaField, TextField } from '@/components/form/fields'
import { failedToSave } from '../shared/failures'
import { asText } from '../shared/form-text'
import { RecordDialog } from '../shared/RecordDialog'
import { useRecordForm, type RecordFormSpec } from '../shared/use-record-form'
import type { ChecklistItem } from './queries/list-items'
import { saveItem } from './queries/save-item'
import { itemSchema, type ItemInput, type ItemValues } from './rules'

const spec: RecordFormSpec<ChecklistItem, ItemValues, ItemInput> = {
  name: 'checklist item',
  schema: itemSchema,
  toValues: (item) => ({
    item_name: asText(item?.item_name),
    category: asText(item?.category),
    due_date: asText(item?.due_date),
    notes: asText(item?.notes),
  }),
  save: saveItem,
  saved: { added: 'Item added successfully', updated: 'Item updated successfully' },
  failed: failedToSave('item'),
  stale: [['checklist']],
}

const labels = { item_name: 'Item', category: 'Category', due_date: 'Due date', notes: 'Notes' }

/** Form that adds or edits an item of the checklist. */
export function ChecklistForm({ item, onClose }: { item: ChecklistItem | undefined; onClose: () => void }) {
  const record = useRecordForm(spec, item, onClose)
  return (
    <RecordDialog
      title={item ? 'Edit Item' : 'Add Item'}
      submit={item ? 'Save Item' : 'Add Item'}
      record={record}
      labels={labels}
      onClose={onClose}
    >
      <TextField name="item_name" label="Item name" />
      <TextField name="category" label="Category" optional />
      <TextField name="due_date" label="Due date" type="date" optional />
      <TextAreaField name="notes" label="Notes" optional />
    </RecordDialog>
  )
}
