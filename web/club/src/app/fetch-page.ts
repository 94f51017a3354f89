import { matchRoutes, type RouteObject } from 'react-router'
import { viewsOf } from '@/lib/page-views'

/**
 * Fetches the code of the page at an address, and of the view that its query asks for, and puts it in its place, so that the page is there
 * at the first drawing.
 *
 * @returns whether all of it came; if not, the router tries again and shows why
 */
export async function fetchPage(routes: RouteObject[], location: { pathname: string; search: string }): Promise<boolean> {
  const matches = matchRoutes(routes, location) ?? []
  const arrived = await Promise.all(
    matches.map(async ({ route }) => {
      const { lazy } = route
      try {
        if (typeof lazy === 'function') Object.assign(route, await lazy(), { lazy: undefined })
        await viewsOf(route)[location.search.slice(1)]?.()
        return true
      } catch {
        return false
      }
    }),
  )
  return arrived.every(Boolean)
}
