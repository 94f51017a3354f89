import { BookOpen, LogOut, Monitor, Moon, Rows3, Rows4, Search, Sun } from 'lucide-react'
import { Link, NavLink } from 'react-router'
import { Button } from '@cloch/ui/components/button'
import { cn } from '@cloch/ui/lib/cn'
import { Mark } from '@cloch/ui/components/mark'
import { chooseDensity, useDensity } from '@/lib/density'
import { firstText } from '@/lib/format'
import { notifyError } from '@/lib/notify'
import { useOperator, useSignOut } from '@/lib/session'
import { chooseTheme, themes, useTheme } from '@/lib/theme'
import { documentation, groups } from '../pages'

/** Links to the pages, the search, and the signed-in operator: a column on a wide screen, inside the menu on a phone. */
export function Navigation({ onSearch, isInMenu = false }: { onSearch: () => void; isInMenu?: boolean }) {
  return (
    <div className="flex h-full min-h-0 flex-col">
      {!isInMenu && (
        <Link
          to="/"
          className="flex items-center gap-2.5 px-4 pt-3.5 pb-2 font-display text-[1.0625rem] font-bold text-foreground no-underline"
        >
          <Mark className="size-8" />
          Cloch
        </Link>
      )}
      <div className="flex items-center gap-1 px-3 py-1.5">
        <Button
          variant="ghost"
          size="compact"
          className="min-w-0 flex-1 justify-start border-input font-normal text-muted-foreground"
          onClick={onSearch}
        >
          <Search aria-hidden />
          Search
          <kbd className="ml-auto text-[0.8125rem]">Ctrl K</kbd>
        </Button>
        <Button asChild variant="ghost" size="compact-icon">
          <a href={documentation} target="_blank" rel="noopener" aria-label="Documentation" title="Documentation">
            <BookOpen aria-hidden />
          </a>
        </Button>
      </div>
      <nav aria-label="Pages" className="min-h-0 flex-1 overflow-y-auto pb-3">
        {groups.map(({ name, pages }) => (
          <div key={name} className="pt-1.5">
            <h2 className="px-4 font-sans text-[0.8125rem] font-normal tracking-normal text-muted-foreground">{name}</h2>
            <ul>
              {pages.map(({ path, name, icon: Icon }) => (
                <li key={path}>
                  <NavLink
                    to={path}
                    end={path === '/'}
                    className={({ isActive }) =>
                      cn(
                        'flex min-h-7 items-center gap-2.5 border-l-8 border-transparent pr-3 pl-2.5 text-small text-foreground no-underline hover:bg-accent focus-visible:-outline-offset-3 pointer-coarse:min-h-11',
                        isActive && 'border-foreground bg-secondary font-bold',
                      )
                    }
                  >
                    <Icon aria-hidden className="text-muted-foreground" />
                    {name}
                  </NavLink>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <Who />
    </div>
  )
}

function Who() {
  const operator = useOperator()
  const signOut = useSignOut()
  return (
    <div className="flex items-center gap-1 border-t py-1.5 pr-2 pl-3">
      <Link
        to="/account"
        className="min-w-0 flex-1 py-1 text-small leading-tight text-foreground no-underline hover:bg-accent"
        title={`${operator.email}: your account`}
      >
        <span className="block truncate underline decoration-[1.5px] underline-offset-[0.2em]">
          {firstText(operator.name) ?? operator.email}
        </span>
        <span className="block text-[0.8125rem] text-muted-foreground">{operator.role}</span>
      </Link>
      <DensitySwitch />
      <ThemeSwitch />
      <Button
        variant="ghost"
        size="compact-icon"
        aria-label="Sign out"
        title="Sign out"
        onClick={() => void signOut().catch((error: unknown) => notifyError('You are still signed in', error))}
      >
        <LogOut aria-hidden />
      </Button>
    </div>
  )
}

function DensitySwitch() {
  const isCompact = useDensity() === 'compact'
  const Icon = isCompact ? Rows4 : Rows3
  const label = isCompact ? 'Rows: compact. Change to comfortable' : 'Rows: comfortable. Change to compact'
  return (
    <Button
      variant="ghost"
      size="compact-icon"
      aria-label={label}
      title={label}
      onClick={() => chooseDensity(isCompact ? 'comfortable' : 'compact')}
    >
      <Icon aria-hidden />
    </Button>
  )
}

const icons = { system: Monitor, light: Sun, dark: Moon }

/** Button that switches to the next of the three themes: system, light, dark. */
function ThemeSwitch() {
  const theme = useTheme()
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system'
  const Icon = icons[theme]
  const label = `Colours: ${theme}. Change to ${next}`
  return (
    <Button variant="ghost" size="compact-icon" aria-label={label} title={label} onClick={() => chooseTheme(next)}>
      <Icon aria-hidden />
    </Button>
  )
}
