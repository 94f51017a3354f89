import { connect } from '@/lib/supabase'
import { formatMoment } from '@/lib/dates'
import { awardNames, type Award } from '../../shared/award'
import { MergeDialog, type MergeSpec } from '../../shared/MergeDialog'
import type { Entry } from '../entry'

function specOf(award: Award): MergeSpec {
  return {
    title: 'Merge Entries',
    consequence:
      'The kept entry takes over the files of the others and whatever it lacks itself. The others are deleted; what they said differently stays in its history.',
    tooFew: 'Please select at least 2 entries to merge',
    noneKept: 'Please select which entry to keep',
    merge: async (keep, others) => {
      const supabase = await connect()
      const { data, error } = await supabase.rpc('merge_entries', { award, keep, others })
      if (error) throw error
      return data
    },
    merged: (others) => `Merged ${others} duplicate ${others === 1 ? 'entry' : 'entries'}`,
    failed: 'Failed to merge entries',
    stale: [['entries', award], ['shared-files'], ['audit', awardNames[award].table]],
  }
}

interface EntryMergeProps {
  award: Award
  entries: readonly Entry[]
  /** The entries that are selected at first. */
  suspected: readonly Entry[]
  onClose: () => void
}

/** Merges entries that are the same entry, sent several times. */
export function EntryMerge({ award, entries, suspected, onClose }: EntryMergeProps) {
  const records = entries.map((entry) => ({
    id: entry.id,
    name: entry.name,
    detail: [entry.school?.name, `submitted ${formatMoment(entry.createdAt)}`].filter(Boolean).join(', '),
  }))
  return <MergeDialog spec={specOf(award)} records={records} initial={suspected.map(({ id }) => id)} onClose={onClose} />
}
