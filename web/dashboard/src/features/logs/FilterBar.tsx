import { AddressField } from '@/components/AddressField'
import { SelectField } from '@/components/fields'
import { apis, type Filters } from './contract'

const statuses = {
  '2xx': '2xx done',
  '3xx': '3xx elsewhere',
  '4xx': '4xx refused',
  '5xx': '5xx failed',
  '401,403': '401, 403',
  '404': '404',
}

export function FilterBar({ filters, onChange }: { filters: Filters; onChange: (part: Partial<Filters>) => void }) {
  return (
    <div role="search" className="grid grid-cols-6 gap-3 sm:flex sm:flex-wrap">
      <SelectField label="API" className="col-span-2 sm:w-36" value={filters.api} onChange={(api) => onChange({ api })}>
        <option value="">All</option>
        {apis.map((api) => (
          <option key={api}>{api}</option>
        ))}
      </SelectField>
      <SelectField label="Level" className="col-span-2 sm:w-36" value={filters.level} onChange={(level) => onChange({ level })}>
        <option value="">All</option>
        <option value="error">Errors</option>
        <option value="error,warn">Warnings too</option>
      </SelectField>
      <SelectField
        label="Status"
        className="col-span-2 sm:w-36"
        value={filters.status}
        onChange={(status) => onChange({ status })}
      >
        <option value="">All</option>
        {Object.entries(statuses).map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </SelectField>
      <AddressField
        label="Request"
        className="col-span-3 sm:w-44 lg:w-56"
        controlClassName="font-mono"
        value={filters.request_id}
        onChange={(request_id) => onChange({ request_id })}
      />
      <AddressField
        label="Words"
        type="search"
        className="col-span-3 sm:w-44 lg:w-56"
        value={filters.search}
        onChange={(search) => onChange({ search })}
      />
    </div>
  )
}
