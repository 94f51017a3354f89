const bar = '<div class="VPNavBar"'

/**
 * Gives the navigation bar of a page the classes that VitePress sets only when its script runs: the bar moves if they come later.
 * The script finds the bar in this state, unless the page is scrolled. @throws when the page has no such bar
 */
export function withNavigationClasses(page: string) {
  // The page that VitePress makes for unknown addresses has no sidebar.
  if (!page.includes('class="VPContent has-sidebar"')) return page
  if (!page.includes(bar)) throw new Error('the navigation bar of VitePress is not as expected')
  return page.replace(bar, '<div class="VPNavBar has-sidebar top"')
}
