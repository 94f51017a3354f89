import { Menu } from 'lucide-react'
import { Suspense, useState } from 'react'
import { Link } from 'react-router'
import { lazyPart, RetryByMessage } from '@/components/lazy-part'
import { Button } from '@cloch/ui/components/button'
import { Brand } from './Brand'
import { MainMenu } from './MainMenu'

const loadDrawer = () => import('./MobileDrawer')
const MobileDrawer = lazyPart(loadDrawer, RetryByMessage)

export function Header() {
  const [open, setOpen] = useState(false)
  // The drawer's code is fetched when it is first wanted, and stays mounted so that closing can hand the focus back.
  const [wanted, setWanted] = useState(false)
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
