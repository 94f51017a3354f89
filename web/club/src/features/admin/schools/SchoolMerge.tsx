import { useQuery } from '@tanstack/react-query'
import { MergeDialog, type MergeSpec } from '../shared/MergeDialog'
import { schoolsQuery } from './queries/list-schools'
import { mergeSchools } from './queries/merge-schools'

const spec: MergeSpec = {
  title: 'Merge Schools',
  consequence: 'The kept school takes over the entries, departments and offline counts of the others, which are deleted.',
  tooFew: 'Please select at least 2 schools to merge',
  noneKept: 'Please select the canonical school',
  merge: mergeSchools,
  // Plus one, because the message also counts the school that is kept.
  merged: (others) => `Merged ${others + 1} schools successfully`,
  failed: 'Failed to merge schools',
  stale: [['schools'], ['departments'], ['contacts'], ['entries'], ['offline']],
}

export function SchoolMerge({ onClose }: { onClose: () => void }) {
  const { data: schools = [] } = useQuery(schoolsQuery)
  const records = schools.map(({ id, name, location }) => ({ id, name, detail: location ?? '' }))
  return <MergeDialog spec={spec} records={records} onClose={onClose} />
}
