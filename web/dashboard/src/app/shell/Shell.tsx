import { Menu, Search } from 'lucide-react'
import { Suspense, useEffect, useState, type ReactNode } from 'react'
import { Outlet, ScrollRestoration, useLocation, useNavigation } from 'react-router'
import { Button } from '@cloch/ui/components/button'
import { Dialog } from '@/components/Dialog'
import { Mark } from '@cloch/ui/components/mark'
import { ReviewSqlProvider } from '@/components/ReviewSql'
import { Failed } from '@/components/states'
import { UnsavedGuard } from '@/components/UnsavedGuard'
import { useStanding } from '@/lib/session'
import { SignIn } from '@/features/sign-in/SignIn'
import { SignInAgain } from '@/features/sign-in/SignInAgain'
import { Opening } from '../Opening'
import { CommandPalette } from './CommandPalette'
import { Keys } from './Keys'
import { Navigation } from './Navigation'

/**
 * The frame of all pages except the welcome page. It is rendered only for a signed-in operator. For everybody else, the sign-in form is shown at the
 * same address.
 */
export function Shell() {
  const { data, error, refetch } = useStanding()
  if (error) return <Alone>{<Failed error={error} onRetry={() => void refetch()} />}</Alone>
  if (!data) return <Opening />
  if (!data.session) return <SignIn hasFirst={data.firstOperator} />
  return (
    <>
      {/* The key resets the state of the page when another operator signs in. */}
      <ReviewSqlProvider key={data.session.operator.id}>
        <Frame />
      </ReviewSqlProvider>
      {data.hasEnded && <SignInAgain email={data.session.operator.email} />}
    </>
  )
}

const Alone = ({ children }: { children: ReactNode }) => (
  <main className="grid min-h-dvh place-items-center p-6">{children}</main>
)

function Frame() {
  const [isPalette, setPalette] = useState(false)
  const [isMenu, setMenu] = useState(false)
  const [isKeys, setKeys] = useState(false)
  const { pathname } = useLocation()
  const [shownAt, setShownAt] = useState(pathname)
  if (shownAt !== pathname) {
    setShownAt(pathname)
    setMenu(false)
  }
  useShortcut(
    () => setPalette(true),
    () => setKeys(true),
  )
  const openPalette = () => {
    setMenu(false)
    setPalette(true)
  }
  return (
    <div className="min-h-dvh desk:grid desk:grid-cols-[14rem_minmax(0,1fr)]">
      <a href="#main" className="sr-only z-10 bg-card p-3 focus:not-sr-only focus:fixed focus:top-2 focus:left-2">
        Skip to the page
      </a>
      <header className="sticky top-0 z-10 flex items-center gap-2 border-b bg-card px-3 py-1.5 desk:hidden">
        <Button variant="ghost" size="compact-icon" aria-label="Menu" onClick={() => setMenu(true)}>
          <Menu aria-hidden />
        </Button>
        <Mark className="size-7" />
        <span className="flex-1 font-display font-bold">Cloch</span>
        <Button variant="ghost" size="compact-icon" aria-label="Search" onClick={openPalette}>
          <Search aria-hidden />
        </Button>
      </header>
      <aside className="sticky top-0 hidden h-dvh border-r bg-card desk:block">
        <Navigation onSearch={openPalette} />
      </aside>
      <main id="main" tabIndex={-1} className="relative min-w-0">
        <Progress />
        <Suspense>
          <Outlet />
        </Suspense>
      </main>
      {isMenu && (
        <Dialog
          title="Cloch"
          place="menu"
          onClose={() => setMenu(false)}
          className="[&>[data-body]]:p-0 [&>[data-body]]:content-stretch"
        >
          <Navigation onSearch={openPalette} isInMenu />
        </Dialog>
      )}
      {isPalette && <CommandPalette onClose={() => setPalette(false)} onKeys={() => setKeys(true)} />}
      {isKeys && <Keys onClose={() => setKeys(false)} />}
      <UnsavedGuard />
      <ScrollRestoration />
    </div>
  )
}

/** A progress bar at the top, shown while the code of the next page is being fetched. */
function Progress() {
  const { state } = useNavigation()
  if (state === 'idle') return null
  return <div role="status" aria-label="Opening the page" className="absolute inset-x-0 top-0 z-10 h-1 bg-ring" />
}

/**
 * Keyboard shortcuts. Ctrl K or ⌘ K opens the search, whichever element has the focus. ? shows the list of shortcuts, unless a text field, grid or
 * dialog has the focus.
 */
function useShortcut(onSearch: () => void, onKeys: () => void) {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const hasModifier = event.ctrlKey || event.metaKey
      if (event.key.toLowerCase() === 'k' && hasModifier && !event.shiftKey && !event.altKey) {
        event.preventDefault()
        onSearch()
      } else if (event.key === '?' && !hasModifier && !event.altKey && !takesText(event.target)) {
        event.preventDefault()
        onKeys()
      }
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  })
}

/** Whether the element handles key presses itself. This is true for text fields, grids and dialogs. */
const takesText = (target: EventTarget | null) =>
  target instanceof Element && target.closest('input, textarea, select, [contenteditable], [role=grid], dialog') !== null
