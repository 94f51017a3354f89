import { useState } from 'react'
import { useFormContext } from 'react-hook-form'
import { TextField, useFieldError } from '@/components/form/fields'
import type { FieldValues } from '../shared/fields/field-rules'
import { dateColumns, isOneDay, wordsOf } from './event-date'

/**
 * The field for the date of an event. The user either chooses a date, from which the displayed texts are generated, or writes these texts for an
 * event that recurs or takes several days.
 */
export function EventDate() {
  const { getValues, setValue, watch } = useFormContext<FieldValues>()
  const [ownWords, setOwnWords] = useState(() => !isOneDay(getValues()))
  const isMissing = useFieldError('date_text') !== undefined
  const day = watch('last_day', '')
  const words = wordsOf(day)

  const write = (value: string) => {
    const texts = wordsOf(value)
    for (const name of dateColumns) setValue(name, texts?.[name] ?? '', { shouldDirty: true, shouldValidate: isMissing })
  }
  if (ownWords) {
    return (
      <>
        <TextField name="date_text" label="Date in words" hint="Such as Every Thursday, or 13th and 14th November." />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField name="board_large" label="On the board: large" hint="Such as Thu." />
          <TextField name="board_small" label="On the board: small" hint="Such as weekly." />
        </div>
        <TextField
          name="last_day"
          label="Last day"
          type="date"
          optional
          hint="After this day the event leaves the home page, and says “Past” on the events page. Empty for one that recurs."
        />
        <Switch
          label="It is on one day"
          onClick={() => {
            setOwnWords(false)
            write(day)
          }}
        />
      </>
    )
  }
  return (
    <>
      <TextField
        name="last_day"
        label="Date"
        type="date"
        hint={
          words === undefined
            ? 'After this day the event leaves the home page, and says “Past” on the events page.'
            : `The website writes “${words.date_text}”. After this day the event leaves the home page, and says “Past” on the events page.`
        }
        onInput={(event) => write(event.currentTarget.value)}
      />
      {isMissing ? (
        <p role="alert" className="text-destructive">
          Please give the date
        </p>
      ) : null}
      <Switch label="It recurs, or takes several days" onClick={() => setOwnWords(true)} />
    </>
  )
}

function Switch({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <button type="button" className="min-h-11 justify-self-start underline underline-offset-4" onClick={onClick}>
      {label}
    </button>
  )
}
