import { Search } from 'lucide-react'
import { useId } from 'react'
import { Input } from '@cloch/ui/components/input'
import { NativeSelect } from '@cloch/ui/components/native-select'
import { orders, parseOrder, type Order } from './sort'

interface EntryToolsProps {
  query: string
  onQuery: (query: string) => void
  order: Order
  onOrder: (order: Order) => void
}

/** Search field and sort order for an award's entries. */
export function EntryTools({ query, onQuery, order, onOrder }: EntryToolsProps) {
  const id = useId()
  return (
    <div className="flex flex-wrap gap-3 no-print" role="search">
      <div className="relative min-w-36 flex-1 md:min-w-56">
        <Search aria-hidden className="pointer-events-none absolute top-1/2 left-3.5 -translate-y-1/2 text-muted-foreground" />
        <label htmlFor={`${id}-search`} className="sr-only">
          Search entries
        </label>
        <Input
          id={`${id}-search`}
          type="search"
          data-search
          value={query}
          onChange={(event) => onQuery(event.target.value)}
          className="pl-11"
        />
      </div>
      <div className="w-36 md:w-44">
        <label htmlFor={`${id}-order`} className="sr-only">
          Order
        </label>
        <NativeSelect id={`${id}-order`} value={order} onChange={(event) => onOrder(parseOrder(event.target.value))}>
          {Object.entries(orders).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </NativeSelect>
      </div>
    </div>
  )
}
