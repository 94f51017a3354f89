import { X } from 'lucide-react'
import { Button } from '@cloch/ui/components/button'
import { cn } from '@cloch/ui/lib/cn'
import { SelectField, control } from '@/components/fields'
import type { TableDetail } from '@/lib/schema'
import { operatorWords, operators, type Filter, type Operator } from './model'

interface FiltersProps {
  table: TableDetail
  filters: readonly Filter[]
  onChange: (filters: readonly Filter[]) => void
}

/** The filters. A row must match all of them. A filter is applied when its field loses the focus or the user presses Enter. */
export function Filters({ table, filters, onChange }: FiltersProps) {
  const change = (index: number, next: Partial<Filter>) =>
    onChange(filters.map((filter, at) => (at === index ? { ...filter, ...next } : filter)))
  if (filters.length === 0) return null
  return (
    <div className="grid gap-2" role="group" aria-label="Filters">
      {filters.map((filter, index) => (
        <div key={index} className="flex flex-wrap items-end gap-2">
          <SelectField
            label="Column"
            isLabelHidden
            className="w-44"
            value={filter.column}
            onChange={(column) => change(index, { column })}
          >
            {table.columns.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </SelectField>
          <SelectField
            label="Comparison"
            isLabelHidden
            className="w-44"
            value={filter.op}
            onChange={(op) => change(index, { op: op as Operator })}
          >
            {operators.map((op) => (
              <option key={op} value={op}>
                {operatorWords[op]}
              </option>
            ))}
          </SelectField>
          <FilterValue value={filter.value} onChange={(value) => change(index, { value })} />
          <Button
            variant="ghost"
            size="compact-icon"
            aria-label={`Remove the filter on ${filter.column}`}
            onClick={() => onChange(filters.filter((_, at) => at !== index))}
          >
            <X aria-hidden />
          </Button>
        </div>
      ))}
    </div>
  )
}

function FilterValue({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const leave = (next: string) => {
    if (next !== value) onChange(next)
  }
  return (
    <input
      key={value}
      aria-label="Value"
      defaultValue={value}
      autoComplete="off"
      spellCheck={false}
      className={cn(control, 'w-52')}
      onBlur={(event) => leave(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') leave(event.currentTarget.value)
      }}
    />
  )
}
