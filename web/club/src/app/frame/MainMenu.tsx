import { ChevronDown } from 'lucide-react'
import { useEffect, useId, useRef, useState, type FocusEvent, type KeyboardEvent } from 'react'
import { Link, useLocation } from 'react-router'
import { isHere, navigation, type NavigationItem } from '@/content/navigation'

/** Milliseconds for which the pointer must be over an item before its menu opens. */
const hoverDelay = 200
/** If a menu was closed less than this number of milliseconds ago, the next menu opens without delay. */
const skipDelay = 300

/** The menu for wide screens. An item with children is a link, followed by a button that opens the list of its children. */
export function MainMenu() {
  const [open, setOpen] = useState<string | null>(null)
  const timer = useRef<number>(undefined)
  const justClosed = useRef(false)
  const { pathname } = useLocation()

  const show = (href: string | null, after: number) => {
    window.clearTimeout(timer.current)
    timer.current = window.setTimeout(() => {
      setOpen(href)
      justClosed.current = href === null
      if (href === null) window.setTimeout(() => (justClosed.current = false), skipDelay)
    }, after)
  }
  const enter = (href: string) => {
    show(href, open !== null || justClosed.current ? 0 : hoverDelay)
  }
  useEffect(() => () => window.clearTimeout(timer.current), [])

  return (
    <nav aria-label="Main" className="hidden nav:block">
      <ul className="flex flex-wrap items-stretch gap-0.5">
        {navigation.map((item) => (
          <li
            key={item.href}
            className="relative"
            onPointerEnter={() => (item.children ? enter(item.href) : show(null, 0))}
            onPointerLeave={() => show(null, hoverDelay)}
          >
            {item.children ? (
              <Dropdown item={item} open={open === item.href} onToggle={(to) => show(to ? item.href : null, 0)} />
            ) : (
              <MenuLink item={item} pathname={pathname} />
            )}
          </li>
        ))}
      </ul>
    </nav>
  )
}

function MenuLink({ item, pathname }: { item: NavigationItem; pathname: string }) {
  return (
    <Link
      to={item.href}
      className="nav-link"
      data-here={isHere(item, pathname)}
      aria-current={pathname === item.href ? 'page' : undefined}
    >
      {item.name}
    </Link>
  )
}

interface DropdownProps {
  item: NavigationItem
  open: boolean
  onToggle: (open: boolean) => void
}

function Dropdown({ item, open, onToggle }: DropdownProps) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const { pathname } = useLocation()
  const entries = [{ name: 'Overview', href: item.href }, ...(item.children ?? [])]

  const leave = (event: FocusEvent) => {
    if (!event.currentTarget.contains(event.relatedTarget)) onToggle(false)
  }
  const escape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !open) return
    button.current?.focus()
    onToggle(false)
  }
  return (
    <div className="flex" onBlur={leave} onKeyDown={escape}>
      <MenuLink item={item} pathname={pathname} />
      <button
        ref={button}
        type="button"
        aria-expanded={open}
        aria-controls={id}
        aria-label={`${item.name} menu`}
        className="-ml-3 grid w-7 place-items-center self-stretch"
        onClick={() => onToggle(!open)}
      >
        <ChevronDown aria-hidden className="size-4" />
      </button>
      <ul
        id={id}
        hidden={!open}
        className="absolute top-full left-0 z-30 min-w-56 rounded bg-popover py-1.5 text-popover-foreground shadow-float"
      >
        {entries.map((entry) => (
          <li key={entry.name}>
            <Link
              to={entry.href}
              onClick={() => onToggle(false)}
              aria-current={pathname === entry.href ? 'page' : undefined}
              className="flex min-h-11 items-center px-4 text-base text-foreground no-underline hover:bg-accent focus-visible:-outline-offset-3 aria-[current]:font-bold"
            >
              {entry.name}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}
