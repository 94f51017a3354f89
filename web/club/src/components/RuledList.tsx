import type { NamedText } from '@/content/club'
import { each } from '@/lib/content-template'
import { cn } from '@cloch/ui/lib/cn'

interface RuledListProps {
  items: NamedText[]
  /** Whether items are numbered, if their order or number matters. */
  numbered?: boolean
}

/** Terms with explanations, separated by lines. */
export function RuledList({ items, numbered = false }: RuledListProps) {
  const List = numbered ? 'ol' : 'ul'
  return (
    <List className="band [counter-reset:row]">
      {each(items, ({ name, text }) => (
        <li className={cn('border-b py-4.5 [counter-increment:row]', numbered && 'grid grid-cols-[2.25rem_1fr] gap-x-3')}>
          {numbered ? (
            <span aria-hidden className="font-display text-2xl leading-tight font-extrabold before:content-[counter(row)]" />
          ) : null}
          <div className={cn('grid gap-1', !numbered && 'md:grid-cols-[15rem_1fr] md:gap-6')}>
            <h3 className="text-h3">{name}</h3>
            <p className="max-w-[36em] text-muted-foreground">{text}</p>
          </div>
        </li>
      ))}
    </List>
  )
}
