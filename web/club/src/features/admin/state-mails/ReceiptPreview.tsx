import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { NativeSelect } from '@cloch/ui/components/native-select'
import { Empty } from '../shared/Empty'
import { MailPreview } from './MailPreview'
import { receiptPreviewQuery } from './queries/receipt'
import type { MailedEntry } from './states'

/** The receipt of an entry. The server sends receipts automatically. Here, an administrator can read the receipt of a selected entry. */
export function ReceiptPreview({ entries }: { entries: readonly MailedEntry[] }) {
  const id = useId()
  const [chosen, setChosen] = useState<string>()
  const entry = entries.find((each) => each.id === chosen) ?? entries[0]
  if (!entry) return <Empty>No entries yet</Empty>
  return (
    <>
      <div className="grid gap-1.5">
        <label htmlFor={id} className="font-strong">
          Entry
        </label>
        <NativeSelect id={id} value={entry.id} onChange={(event) => setChosen(event.target.value)}>
          {entries.map((each) => (
            <option key={each.id} value={each.id}>
              {each.name}
            </option>
          ))}
        </NativeSelect>
      </div>
      <Receipt key={entry.id} entry={entry} />
    </>
  )
}

function Receipt({ entry }: { entry: MailedEntry }) {
  const preview = useQuery(receiptPreviewQuery(entry))
  return <MailPreview name={entry.name} preview={preview} none={`${entry.name} has no receipt: the entry was deleted.`} />
}
