import { useMemo } from 'react'
import { FieldControl } from '../shared/fields/FieldControl'
import { fieldsSchema, toValues, type FieldInput, type FieldValues } from '../shared/fields/field-rules'
import { RecordDialog } from '../shared/RecordDialog'
import { orFallback, useRecordForm, type RecordFormSpec } from '../shared/use-record-form'
import { saveSiteRow } from './queries'
import type { SiteRow, SiteTable } from './site-tables'

interface SiteFormProps {
  site: SiteTable
  row: SiteRow | undefined
  onClose: () => void
}

function specOf(site: SiteTable): RecordFormSpec<SiteRow, FieldValues, FieldInput> {
  return {
    name: `site ${site.table}`,
    schema: fieldsSchema(site.fields),
    toValues: (row) => toValues(site.fields, row ?? { position: 100 }),
    save: (input, base) => saveSiteRow(site, input, base),
    saved: { added: `${site.record} added successfully`, updated: `${site.record} updated successfully` },
    failed: orFallback(`Failed to save ${site.record.toLowerCase()}`),
    stale: [['site']],
  }
}

/** Adds or edits a row of one of the website's tables. */
export function SiteForm({ site, row, onClose }: SiteFormProps) {
  const spec = useMemo(() => specOf(site), [site])
  const record = useRecordForm(spec, row, onClose)
  return (
    <RecordDialog
      title={`${row ? 'Edit' : 'Add'} ${site.record}`}
      submit={`${row ? 'Save' : 'Add'} ${site.record}`}
      record={record}
      labels={Object.fromEntries(site.fields.map(({ name, label }) => [name, label]))}
      onClose={onClose}
    >
      {site.fields.map((field) => {
        const Control = site.controls?.[field.name]
        if (Control === null) return null
        return Control ? <Control key={field.name} /> : <FieldControl key={field.name} field={field} />
      })}
    </RecordDialog>
  )
}
