import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { FieldControl } from '../shared/fields/FieldControl'
import { fieldsSchema, toValues, type FieldInput, type FieldValues } from '../shared/fields/field-rules'
import { RecordDialog } from '../shared/RecordDialog'
import { orFallback, useRecordForm, type RecordFormSpec } from '../shared/use-record-form'
import { pictureUpload } from './pictures'
import { saveSiteRow } from './queries'
import type { SiteRow, SiteTable } from './site-tables'

interface SiteFormProps {
  site: SiteTable
  row: SiteRow | undefined
  onClose: () => void
}

function schemaOf({ fields, rule }: SiteTable) {
  const schema = fieldsSchema(fields)
  return rule ? schema.refine(rule.holds, { path: [rule.field], message: rule.message }) : schema
}

function specOf(site: SiteTable, isUploading: () => boolean): RecordFormSpec<SiteRow, FieldValues, FieldInput> {
  return {
    name: `site ${site.table}`,
    schema: schemaOf(site),
    toValues: (row) => toValues(site.fields, row ?? { position: 100 }),
    save: async (input, base) => {
      if (isUploading()) throw new Error('The picture is still being uploaded')
      await saveSiteRow(site, input, base)
    },
    saved: { added: `${site.record} added successfully`, updated: `${site.record} updated successfully` },
    failed: orFallback(`Failed to save ${site.record.toLowerCase()}`),
    stale: [['site']],
  }
}

/** Form that adds or edits a row in one of the website's tables. */
export function SiteForm({ site, row, onClose }: SiteFormProps) {
  const queries = useQueryClient()
  const spec = useMemo(() => specOf(site, () => queries.isMutating({ mutationKey: pictureUpload }) > 0), [site, queries])
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
