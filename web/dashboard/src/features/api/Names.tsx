import { Link } from 'react-router'
import { Section } from '@/components/Page'

interface NamesProps {
  title: string
  schema: string
  /** Kind of the objects. The URL contains the same word. */
  kind: 'table' | 'function'
  names: readonly string[]
}

/** Links to tables or functions. */
export function Names({ title, schema, kind, names }: NamesProps) {
  if (names.length === 0) return null
  return (
    <Section title={title}>
      <ul className="grid gap-x-6 sm:grid-cols-2 xl:grid-cols-3">
        {names.map((name) => (
          <li key={name} className="border-b py-1.5">
            <Link to={`?${new URLSearchParams({ schema, [kind]: name }).toString()}`} className="font-strong break-words">
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  )
}
