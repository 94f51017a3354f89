import { useId, useState } from 'react'
import { Checkbox } from '@cloch/ui/components/checkbox'
import { Input } from '@cloch/ui/components/input'
import { Radio } from '@cloch/ui/components/radio'
import { comparable } from './comparable'

export interface Mergeable {
  id: string
  name: string
  /** A text that distinguishes records with the same name. */
  detail: string
}

interface MergePickerProps {
  records: readonly Mergeable[]
  chosen: string[]
  onChosen: (ids: string[]) => void
  kept: string
  onKept: (id: string) => void
}

/** Two steps: select the duplicates, then the record to keep. */
export function MergePicker({ records, chosen, onChosen, kept, onKept }: MergePickerProps) {
  const [query, setQuery] = useState('')
  const id = useId()
  const found = records.filter(
    (record) => chosen.includes(record.id) || comparable(`${record.name} ${record.detail}`).includes(comparable(query)),
  )
  const toggle = (record: string, on: boolean) =>
    onChosen(on ? [...chosen, record] : chosen.filter((other) => other !== record))

  return (
    <>
      <div className="grid gap-1.5">
        <label htmlFor={id} className="font-strong">
          Find
        </label>
        <Input id={id} type="search" value={query} onChange={(event) => setQuery(event.target.value)} />
      </div>
      <fieldset>
        <legend className="mb-1.5 font-strong">Which are the same? ({chosen.length} selected)</legend>
        <div className="max-h-60 overflow-y-auto rounded border-[1.5px] border-input bg-card px-3.5">
          {found.map((record) => (
            <label key={record.id} className="flex min-h-11 cursor-pointer items-center gap-3 border-b py-1.5 last:border-b-0">
              <Checkbox checked={chosen.includes(record.id)} onChange={(event) => toggle(record.id, event.target.checked)} />
              <RecordName record={record} />
            </label>
          ))}
          {found.length === 0 ? <p className="py-3 text-muted-foreground">Nothing found</p> : null}
        </div>
      </fieldset>
      {chosen.length > 0 ? (
        <fieldset>
          <legend className="mb-1.5 font-strong">Which one is kept?</legend>
          {records
            .filter((record) => chosen.includes(record.id))
            .map((record) => (
              <label key={record.id} className="flex min-h-11 cursor-pointer items-center gap-3">
                <Radio name={`${id}-keep`} checked={kept === record.id} onChange={() => onKept(record.id)} />
                <RecordName record={record} />
              </label>
            ))}
        </fieldset>
      ) : null}
    </>
  )
}

function RecordName({ record }: { record: Mergeable }) {
  return (
    <span className="[overflow-wrap:anywhere]">
      {record.name}
      {record.detail ? <span className="text-muted-foreground"> · {record.detail}</span> : null}
    </span>
  )
}
