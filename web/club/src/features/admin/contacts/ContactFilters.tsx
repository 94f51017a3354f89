import { useQuery } from '@tanstack/react-query'
import { ListFilter, X } from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { cn } from '@cloch/ui/lib/cn'
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

/** Filters of the contacts: school, department, status. On phones, one button shows the number of active filters and opens them. */
export function ContactFilters({ filter, onFilter, onClear }: ContactFiltersProps) {
  const { data: schools = [] } = useQuery(schoolsQuery)
  const { data: departments = [] } = useQuery(departmentsQuery)
  const [open, setOpen] = useState(false)
  const id = useId()
  const count = Object.values(filter).filter((value) => value !== '').length
  return (
    <div className="no-print">
      <Button
        variant="outline"
        className="md:hidden"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen((before) => !before)}
      >
        <ListFilter aria-hidden />
        Filters ({count})
      </Button>
      <div id={id} className={cn('flex flex-wrap items-end gap-3', open ? 'max-md:mt-3' : 'max-md:hidden')}>
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
    </div>
  )
}
