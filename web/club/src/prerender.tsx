/** Draws the visitor's pages at build time; the build turns what comes of it into files. */
import { StrictMode, type ComponentType } from 'react'
import { renderToString } from 'react-dom/server'
import { createStaticHandler, createStaticRouter, StaticRouterProvider, type RouteObject } from 'react-router'
import { fetchPage } from './app/fetch-page'
import { notFoundRoute, officeRoutes, routes, visitorRoutes } from './app/routes'
import { defaultSettings, setConfig, type Settings } from './lib/config'
import { templateContent } from './lib/content-template'
import type { DrawnPage, PageHead } from './lib/drawn-page'
import { setContent } from './lib/site-content'
import { HeadTaker } from './lib/use-page'

/** What a page says until the server that sends it fills in the club's own. A list is nowhere shown. */
function marks(): Settings {
  const marked = Object.entries(defaultSettings).map(([name, fallback]: [string, unknown]) => [
    name,
    typeof fallback === 'string' ? `{cloch:text:${name}|${fallback}}` : fallback,
  ])
  return Object.fromEntries(marked) as Settings
}

const sources = import.meta.glob<{ Component: ComponentType }>(['./features/**/*Page.tsx', './app/pages/NotFoundPage.tsx'])

/** The source file that a route's page comes from. */
async function sourceOf(route: RouteObject): Promise<string | undefined> {
  for (const [source, load] of Object.entries(sources)) {
    if ((await load()).Component === route.Component) return source.replace('./', 'src/')
  }
  return undefined
}

/** Pages that are not drawn: what they show depends on who asks. */
export const shellPaths = officeRoutes.map(({ path = '' }) => path)

/** Draws every page, and the one for addresses that are none. */
export async function drawPages(): Promise<DrawnPage[]> {
  setConfig({ apiUrl: '', anonKey: '', settings: marks() })
  setContent(templateContent())
  const drawn: DrawnPage[] = []
  for (const route of [...visitorRoutes, notFoundRoute]) {
    const isNotFound = route === notFoundRoute
    const path = route.index ? '/' : isNotFound ? '/404' : `/${route.path ?? ''}`
    await fetchPage(routes, { pathname: path })
    const handler = createStaticHandler(routes)
    const context = await handler.query(new Request(`http://localhost${path}`))
    if (context instanceof Response) throw new Error(`${path} leads elsewhere`)
    let head: PageHead | undefined
    const html = renderToString(
      <StrictMode>
        <HeadTaker value={(taken) => (head = taken)}>
          <StaticRouterProvider router={createStaticRouter(handler.dataRoutes, context)} context={context} hydrate={false} />
        </HeadTaker>
      </StrictMode>,
    )
    const source = await sourceOf(route)
    if (!head || !source) throw new Error(`${path} was not drawn`)
    drawn.push({ path, file: isNotFound ? '404.html' : `${path.slice(1)}/index.html`.replace(/^\//, ''), html, head, source })
  }
  return drawn
}
