const bar = '<div class="VPNavBar"'

/**
 * Adds the classes to the navigation bar of a page that VitePress's script would add. If they were added only when the script runs, the bar would
 * move. As long as the page is not scrolled, the script adds the same classes.
 * @throws if the page has no such bar
 */
export function withNavigationClasses(page: string) {
  // The page for unknown addresses, which VitePress generates, has no sidebar.
  if (!page.includes('class="VPContent has-sidebar"')) return page
  if (!page.includes(bar)) throw new Error('the navigation bar of VitePress is not as expected')
  return page.replace(bar, '<div class="VPNavBar has-sidebar top"')
}
