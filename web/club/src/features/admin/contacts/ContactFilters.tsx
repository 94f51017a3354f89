import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { Button } from '@cloch/ui/components/button'
import { departmentsQuery } from '../departments/queries/list-departments'
import { schoolsQuery } from '../schools/queries/list-schools'
import { FilterSelect } from '../shared/FilterSelect'
import { isActive, type ContactFilter } from './filter'
import { contactStatuses, statusLabels } from './status'

interface ContactFiltersProps {
  filter: ContactFilter
  onFilter: (name: keyof ContactFilter, value: string) => void
  onClear: () => void
}

/** Which contacts are shown: of a school, of one of its departments, of a status. */
export function ContactFilters({ filter, onFilter, onClear }: ContactFiltersProps) {
  const { data: schools = [] } = useQuery(schoolsQuery)
  const { data: departments = [] } = useQuery(departmentsQuery)
  return (
    <div className="flex flex-wrap items-end gap-3 no-print">
      <FilterSelect
        label="School"
        all="All schools"
        value={filter.school}
        onValue={(value) => onFilter('school', value)}
        options={schools.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <FilterSelect
        label="Department"
        all="All departments"
        disabled={filter.school === ''}
        value={filter.department}
        onValue={(value) => onFilter('department', value)}
        options={departments
          .filter(({ school_id }) => school_id === filter.school)
          .map(({ id, name }) => ({ value: id, label: name }))}
      />
      <FilterSelect
        label="Status"
        all="All statuses"
        value={filter.status}
        onValue={(value) => onFilter('status', value)}
        options={contactStatuses.map((status) => ({ value: status, label: statusLabels[status] }))}
      />
      {isActive(filter) ? (
        <Button variant="ghost" onClick={onClear}>
          <X aria-hidden />
          Clear
        </Button>
      ) : null}
    </div>
  )
}
