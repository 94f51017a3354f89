import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { TextAreaField } from '@/components/form/fields'
import { seasonTexts } from '@/lib/site-content'
import { fieldsSchema, type FieldInput, type FieldValues } from '../shared/fields/field-rules'
import { ListState } from '../shared/ListState'
import { RecordDialog } from '../shared/RecordDialog'
import { RecordRow } from '../shared/RecordRow'
import { orFallback, useRecordForm, type RecordFormSpec } from '../shared/use-record-form'
import { saveSiteText, siteTextsQuery, type SiteText } from './queries'
import { SeasonDates } from './SeasonDates'

/** Maximum length of a text. */
const max = 1000

const spec: RecordFormSpec<SiteText, FieldValues, FieldInput> = {
  name: 'site text',
  schema: fieldsSchema([{ name: 'value', label: 'Text', kind: 'long', max, isRequired: true }]),
  toValues: (text) => ({ value: text?.value ?? '' }),
  save: async ({ value }, base) => {
    if (base && typeof value === 'string') await saveSiteText(value, base)
  },
  saved: { added: '', updated: 'Text updated successfully' },
  failed: orFallback('Failed to save text'),
  stale: [['site']],
}

/** The texts of the website, one line each. Also shows the season's dates, which are edited in the form of the season. */
export function SiteTexts() {
  const texts = useQuery(siteTextsQuery)
  const [editing, setEditing] = useState<SiteText>()
  return (
    <ListState query={texts} failed="Failed to load the website’s content">
      {(all) => (
        <>
          <SeasonDates />
          {all.filter(isPublished).map((text) => (
            <RecordRow key={text.id} name={text.label} onEdit={() => setEditing(text)}>
              <p>{text.value}</p>
            </RecordRow>
          ))}
          {editing ? <TextForm text={editing} onClose={() => setEditing(undefined)} /> : null}
        </>
      )}
    </ListState>
  )
}

/** Whether a text can be edited here. The season's dates cannot. */
function isPublished({ name }: SiteText): boolean {
  return !(seasonTexts as readonly string[]).includes(name)
}

function TextForm({ text, onClose }: { text: SiteText; onClose: () => void }) {
  const record = useRecordForm(spec, text, onClose)
  return (
    <RecordDialog
      title={`Edit: ${text.label}`}
      submit="Save Text"
      record={record}
      labels={{ value: text.label }}
      onClose={onClose}
    >
      <TextAreaField name="value" label={text.label} rows={3} />
    </RecordDialog>
  )
}
