import type { ReactNode } from 'react'
import { Porthole } from './Porthole'

interface Item {
  name: string
  text: string
  picture: ReactNode
  /** A link to more information. */
  more?: ReactNode
}

/** A list of the club's activities or values, each with a round picture. */
export function PortholeList({ items }: { items: Item[] }) {
  return (
    <PortholeRows>
      {items.map((item) => (
        <PortholeRow key={item.name} {...item} />
      ))}
    </PortholeRows>
  )
}

/** Classes for three items: all in one row, or all in one column if there is not enough room. Never two in one row and the third below. */
const three =
  'md:has-[>:nth-child(3):last-child]:grid-cols-1 min-[76rem]:has-[>:nth-child(3):last-child]:grid-cols-[repeat(auto-fit,minmax(min(100%,21rem),1fr))]'

export function PortholeRows({ children }: { children: ReactNode }) {
  return <ul className={`grid gap-x-14 gap-y-9 md:grid-cols-2 desk:gap-y-13 ${three}`}>{children}</ul>
}

export function PortholeRow({ name, text, picture, more }: Item) {
  return (
    <li className="grid grid-cols-[auto_1fr] items-start gap-4 desk:gap-7">
      <Porthole>{picture}</Porthole>
      <div>
        <h3 className="text-h3">{name}</h3>
        <p className="my-1.5 text-muted-foreground">{text}</p>
        {more}
      </div>
    </li>
  )
}
