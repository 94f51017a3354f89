import type { ComponentType } from 'react'
import type { RouteObject } from 'react-router'

/** The views of a page that a query shows and that are drawn at build time: by their query, what fetches the code of what they show. */
export type PageViews = Readonly<Record<string, () => Promise<ComponentType>>>

/** The views of a route's page, which the page's module exports as its `handle`. Known once the page's code has been fetched. */
export function viewsOf(route: RouteObject): PageViews {
  return (route.handle as { views?: PageViews } | undefined)?.views ?? {}
}
