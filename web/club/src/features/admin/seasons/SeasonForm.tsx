import { TextField } from '@/components/form/fields'
import { failedToSave } from '../shared/failures'
import { asText } from '../shared/form-text'
import { RecordDialog } from '../shared/RecordDialog'
import { useRecordForm, type RecordFormSpec } from '../shared/use-record-form'
import type { Season } from './queries/list-seasons'
import { saveSeason } from './queries/save-season'
import { seasonSchema, type SeasonInput, type SeasonValues } from './rules'

const spec: RecordFormSpec<Season, SeasonValues, SeasonInput> = {
  name: 'season',
  schema: seasonSchema,
  toValues: (season) => ({ name: asText(season?.name), event_on: asText(season?.event_on) }),
  save: saveSeason,
  saved: { added: 'Season added successfully', updated: 'Season updated successfully' },
  failed: failedToSave('season'),
  stale: [['seasons']],
}

const labels = { name: 'Season name', event_on: 'Date of the event' }

/** Adds or edits a season: what it is called, and when its event is. */
export function SeasonForm({ season, onClose }: { season: Season | undefined; onClose: () => void }) {
  const record = useRecordForm(spec, season, onClose)
  return (
    <RecordDialog
      title={season ? 'Edit Season' : 'Add Season'}
      submit={season ? 'Save Season' : 'Add Season'}
      record={record}
      labels={labels}
      onClose={onClose}
    >
      <TextField name="name" label="Season name" hint="Such as 2026" />
      <TextField
        name="event_on"
        label="Date of the event"
        hint="Three months later the dashboard reminds you to delete the season’s personal data."
        type="date"
      />
    </RecordDialog>
  )
}
