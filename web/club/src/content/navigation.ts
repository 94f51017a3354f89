/** An entry of the site's menus. */
export interface NavigationItem {
  name: string
  href: string
  children?: NavigationItem[]
}

export const navigation: NavigationItem[] = [
  { name: 'Home', href: '/' },
  { name: 'About Us', href: '/about', children: [{ name: 'Club History', href: '/club-history' }] },
  { name: 'Events', href: '/events' },
  { name: 'Get Involved', href: '/get-involved' },
  { name: 'Corporate Membership', href: '/corporate-membership' },
  {
    name: 'Youth Awards',
    href: '/youth-awards',
    children: [
      { name: 'Young Citizen', href: '/young-citizen' },
      { name: 'Young Musician', href: '/young-musician' },
      { name: 'Young Photographer', href: '/young-photographer' },
      { name: 'Young Artist', href: '/young-artist' },
    ],
  },
  { name: 'Awards Uploads', href: '/awards-uploads' },
]

export const footerLinks: NavigationItem[] = [
  { name: 'About Us', href: '/about' },
  { name: 'Events', href: '/events' },
  { name: 'Get Involved', href: '/get-involved' },
  { name: 'Youth', href: '/youth' },
]

export const activities = ['Youth Awards', 'Weekly Guest Speakers', 'Community Projects', 'Chartered Rotary Dinner']

export const tagline = 'Community • Service • Fellowship'

/**
 * Whether a menu item leads to the current page. The path of the home page must match exactly; for other items, the current path must begin with the
 * item's path.
 */
export function leadsTo(href: string, pathname: string): boolean {
  if (href === '/') return pathname === '/'
  return pathname === href || pathname.startsWith(`${href}/`)
}

/** Whether the current page is the page of a menu item, or one of its subpages. */
export function isHere({ href, children = [] }: NavigationItem, pathname: string): boolean {
  return leadsTo(href, pathname) || children.some((child) => leadsTo(child.href, pathname))
}
