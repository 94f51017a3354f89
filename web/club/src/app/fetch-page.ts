import { matchRoutes, type RouteObject } from 'react-router'

/**
 * Fetches the code of the page at an address and puts it in its place, so that the page is there at the first drawing.
 *
 * @returns whether all of it came; if not, the router tries again and shows why
 */
export async function fetchPage(routes: RouteObject[], location: { pathname: string }): Promise<boolean> {
  const matches = matchRoutes(routes, location) ?? []
  const arrived = await Promise.all(
    matches.map(async ({ route }) => {
      const { lazy } = route
      if (typeof lazy !== 'function') return true
      try {
        Object.assign(route, await lazy(), { lazy: undefined })
        return true
      } catch {
        return false
      }
    }),
  )
  return arrived.every(Boolean)
}
