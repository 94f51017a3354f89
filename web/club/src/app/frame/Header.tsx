import { Menu } from 'lucide-react'
import { Suspense, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { lazyPart, RetryByMessage } from '@/components/lazy-part'
import { Button } from '@cloch/ui/components/button'
import { Brand } from './Brand'
import { MainMenu } from './MainMenu'

const loadDrawer = () => import('./MobileDrawer')
const MobileDrawer = lazyPart(loadDrawer, RetryByMessage)

/** Calls `leave` before the first render after a navigation (by a link or by the browser's Back button). */
function useOnNavigation(leave: () => void) {
  const { key } = useLocation()
  const [shown, setShown] = useState(key)
  if (shown === key) return
  setShown(key)
  leave()
}

export function Header() {
  const [open, setOpen] = useState(false)
  // The code of the drawer is fetched when the drawer is first opened. After that the drawer stays mounted, so that it can return the focus when it
  // closes.
  const [wanted, setWanted] = useState(false)
  useOnNavigation(() => setOpen(false))
  const openDrawer = () => {
    setWanted(true)
    setOpen(true)
  }
  return (
    <header className="site-header no-print">
      <div className="site-header-row wide">
        <Brand />
        <MainMenu />
        <Button asChild size="sm" className="hidden md:inline-flex">
          <Link to="/contact">Contact Us</Link>
        </Button>
        <Button
          variant="outline"
          size="sm"
          className="nav:hidden"
          aria-haspopup="dialog"
          aria-expanded={open}
          onClick={openDrawer}
          onPointerEnter={() => void loadDrawer().catch(() => undefined)}
        >
          <Menu aria-hidden />
          Menu
        </Button>
        {wanted ? (
          <Suspense>
            <MobileDrawer open={open} onOpenChange={setOpen} />
          </Suspense>
        ) : null}
      </div>
    </header>
  )
}
