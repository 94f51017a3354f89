import { useQuery } from '@tanstack/react-query'
import { MergeDialog, type MergeSpec } from '../shared/MergeDialog'
import { departmentsQuery } from './queries/list-departments'
import { mergeDepartments } from './queries/merge-departments'

const spec: MergeSpec = {
  title: 'Merge Departments',
  consequence: 'The kept department takes over the contacts of the others, which are deleted.',
  tooFew: 'Please select at least 2 departments to merge',
  noneKept: 'Please select which department to keep',
  merge: mergeDepartments,
  merged: (others) => `Merged ${others} duplicate department(s)`,
  failed: 'Failed to merge departments',
  stale: [['departments'], ['contacts']],
}

export function DepartmentMerge({ onClose }: { onClose: () => void }) {
  const { data: departments = [] } = useQuery(departmentsQuery)
  const records = departments.map(({ id, name, schools }) => ({ id, name, detail: schools?.name ?? 'Unknown School' }))
  return <MergeDialog spec={spec} records={records} onClose={onClose} />
}
