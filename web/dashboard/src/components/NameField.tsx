import { SearchField } from './SearchField'

interface NameFieldProps {
  label: string
  /** The names that can be chosen. Only one of them is a valid value. */
  names: readonly string[]
  value: string
  onChange: (name: string) => void
  /** Shown if there is nothing to choose. */
  none?: string
}

/** Maximum number of suggestions. Other names are found by their letters. */
const most = 50

/** A field for the name of a table or function. The user types the name or a part of it, which is faster than a long list. */
export function NameField({ label, names, value, onChange, none }: NameFieldProps) {
  const find = (text: string) => {
    const wanted = text.trim().toLowerCase()
    return names
      .filter((name) => name.toLowerCase().includes(wanted))
      .slice(0, most)
      .map((name) => ({ value: name, note: '' }))
  }
  return (
    <SearchField
      label={label}
      {...(names.length === 0 && none !== undefined ? { hint: none } : {})}
      value={value}
      onChange={onChange}
      find={find}
    />
  )
}
