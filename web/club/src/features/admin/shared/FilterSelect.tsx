import { useId } from 'react'
import type { Option } from '@/components/form/fields'
import { NativeSelect } from '@cloch/ui/components/native-select'

interface FilterSelectProps {
  label: string
  /** Label of the choice that shows everything. */
  all: string
  value: string
  onValue: (value: string) => void
  options: readonly Option[]
  disabled?: boolean
}

export function FilterSelect({ label, all, value, onValue, options, disabled = false }: FilterSelectProps) {
  const id = useId()
  return (
    <div className="grid min-w-44 flex-1 gap-1 sm:max-w-72">
      <label htmlFor={id} className="text-small font-strong">
        {label}
      </label>
      <NativeSelect id={id} value={value} disabled={disabled} onChange={(event) => onValue(event.target.value)}>
        <option value="">{all}</option>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </NativeSelect>
    </div>
  )
}
