import { TextField } from '@/components/form/fields'
import { Pair } from '@/components/form/FormSection'
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
  toValues: (season) => ({
    name: asText(season?.name),
    opens_on: asText(season?.opens_on),
    deadline_on: asText(season?.deadline_on),
    event_on: asText(season?.event_on),
    event_time: asText(season?.event_time),
    ages_on: asText(season?.ages_on),
  }),
  save: saveSeason,
  saved: { added: 'Season added successfully', updated: 'Season updated successfully' },
  failed: failedToSave('season'),
  stale: [['seasons'], ['site']],
}

const labels = {
  name: 'Season name',
  opens_on: 'First day for entries',
  deadline_on: 'Last day for entries',
  event_on: 'Date of the event',
  event_time: 'Time of the event',
  ages_on: 'Ages are counted on',
}

/** Form that adds or edits a season: its name and all its dates. The website, the forms and the mails use these dates. */
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
      <p className="text-muted-foreground">
        The website, the forms, the mails and the privacy page show these dates as soon as they are saved.
      </p>
      <TextField name="name" label={labels.name} hint="Such as 2026" />
      <Pair>
        <TextField
          name="opens_on"
          label={labels.opens_on}
          hint="The forms open at the start of this day."
          type="date"
          optional
        />
        <TextField
          name="deadline_on"
          label={labels.deadline_on}
          hint="The forms close at midnight after it. Without it they stay open."
          type="date"
          optional
        />
      </Pair>
      <Pair>
        <TextField
          name="event_on"
          label={labels.event_on}
          hint="The season ends with this day. Three months later the dashboard reminds you to delete its personal data."
          type="date"
        />
        <TextField name="event_time" label={labels.event_time} hint="Such as 6:30 PM" optional />
      </Pair>
      <TextField name="ages_on" label={labels.ages_on} type="date" optional />
    </RecordDialog>
  )
}
