import { Link, useLocation } from 'react-router'
import { leadsTo, navigation, type NavigationItem } from '@/content/navigation'
import { Button } from '@cloch/ui/components/button'
import { Sheet, SheetContent, SheetTitle } from '@cloch/ui/components/sheet'
import { cn } from '@cloch/ui/lib/cn'

interface DrawerProps {
  open: boolean
  onOpenChange: (open: boolean) => void
}

/** The menu for phones and tablets: a list of all pages. It closes when the user chooses a page. */
export default function MobileDrawer({ open, onOpenChange }: DrawerProps) {
  const close = () => onOpenChange(false)
  return (
    <Sheet open={open} onOpenChange={onOpenChange}>
      <SheetContent>
        <SheetTitle className="px-5 pt-5 pb-3 text-xl">Menu</SheetTitle>
        <nav aria-label="Main" className="grid pb-4">
          {navigation.map((item) => (
            <div key={item.href}>
              <DrawerLink item={item} onFollow={close} />
              {item.children ? (
                <div className="mb-2 ml-6 border-l">
                  {item.children.map((child) => (
                    <DrawerLink key={child.href} item={child} onFollow={close} />
                  ))}
                </div>
              ) : null}
            </div>
          ))}
        </nav>
        <Button asChild className="mx-5 mt-auto mb-6">
          <Link to="/contact" onClick={close}>
            Contact Us
          </Link>
        </Button>
      </SheetContent>
    </Sheet>
  )
}

function DrawerLink({ item, onFollow }: { item: NavigationItem; onFollow: () => void }) {
  const { pathname } = useLocation()
  const here = leadsTo(item.href, pathname)
  return (
    <Link
      to={item.href}
      onClick={onFollow}
      aria-current={pathname === item.href ? 'page' : undefined}
      className={cn(
        'flex min-h-13 items-center border-l-8 border-transparent px-5 text-foreground no-underline hover:bg-accent focus-visible:-outline-offset-3',
        here && 'border-foreground font-bold',
      )}
    >
      {item.name}
    </Link>
  )
}
