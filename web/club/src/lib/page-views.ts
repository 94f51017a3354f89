import type { ComponentType } from 'react'
import type { RouteObject } from 'react-router'

/**
 * The views of a page that are rendered at build time. A view is selected by the query of the URL. For each query, a function that fetches the code
 * of the view.
 */
export type PageViews = Readonly<Record<string, () => Promise<ComponentType>>>

/** The views of a route's page. The page's module exports them as `handle`, so they are available only when the page's code has been fetched. */
export function viewsOf(route: RouteObject): PageViews {
  return (route.handle as { views?: PageViews } | undefined)?.views ?? {}
}
