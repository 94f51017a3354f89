import { matchRoutes, type RouteObject } from 'react-router'
import { viewsOf } from '@/lib/page-views'

/**
 * Fetches the code of the page at a location, and of the view that the query selects (such as ?view=form). Stores the page's code in its route, so
 * that the first render can show the page at once.
 * @returns false if a part of the code could not be fetched; then the router fetches it again and shows the error
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
