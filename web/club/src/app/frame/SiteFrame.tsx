import { useEffect, useRef } from 'react'
import { Outlet, useLocation } from 'react-router'
import { Footer } from './Footer'
import { Header } from './Header'

/** Header, page and footer of the visitors' site. */
export function SiteFrame() {
  const main = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  const shown = useRef(pathname)

  useEffect(() => {
    // Without this, the focus would stay on the clicked link after a navigation. Therefore the focus is moved to the new page.
    if (shown.current === pathname) return
    shown.current = pathname
    main.current?.focus({ preventScroll: true })
  }, [pathname])

  return (
    <div className="flex min-h-dvh flex-col">
      <a href="#main" className="fixed -top-20 left-4 z-50 bg-primary px-4 py-3 text-primary-foreground no-print focus:top-4">
        Skip to content
      </a>
      <Header />
      <main id="main" ref={main} tabIndex={-1} className="flex-1">
        <Outlet />
      </main>
      <Footer />
    </div>
  )
}
