/** Renders the visitors' pages at build time. The build writes the result into files. */
import { StrictMode, type ComponentType } from 'react'
import { renderToString } from 'react-dom/server'
import { createStaticHandler, createStaticRouter, StaticRouterProvider } from 'react-router'
import { fetchPage } from './app/fetch-page'
import { judgingRoutes } from '@/features/judging/routes'
import { notFoundRoute, officeRoutes, routes, visitorRoutes } from './app/routes'
import { defaultSettings, setConfig, type Settings } from './lib/config'
import { templateContent } from './lib/content-template'
import type { DrawnPage, PageHead } from './lib/drawn-page'
import { viewsOf } from './lib/page-views'
import { setContent } from './lib/site-content'
import { beginHydration } from './lib/use-hydrated'
import { HeadTaker } from './lib/use-page'

/**
 * Settings for rendering at build time: each text is a placeholder, in which the server inserts the club's own setting. Lists stay as they are,
 * because no page shows one.
 */
function marks(): Settings {
  const marked = Object.entries(defaultSettings).map(([name, fallback]: [string, unknown]) => [
    name,
    typeof fallback === 'string' ? `{cloch:text:${name}|${fallback}}` : fallback,
  ])
  return Object.fromEntries(marked) as Settings
}

interface Drawn {
  Component?: ComponentType
  default?: ComponentType
}

const sources = import.meta.glob<Drawn>(['./features/**/*Page.tsx', './features/**/*Form.tsx', './app/pages/NotFoundPage.tsx'])

/** The path of the source file that exports the component of a page or view. */
async function sourceOf(component: unknown): Promise<string> {
  for (const [source, load] of Object.entries(sources)) {
    const module = await load()
    if ((module.Component ?? module.default) === component) return source.replace('./', 'src/')
  }
  throw new Error('A component that was drawn is in none of the files that hold pages and forms.')
}

/**
 * The pages that are rendered at build time. Most pages behind a sign-in are not; but the judges' page shows the same password form to everybody
 * until its script runs.
 */
const drawnRoutes = [...visitorRoutes, ...judgingRoutes, notFoundRoute]

/** Paths of the pages that are not rendered at build time, because their content depends on the user. */
export const shellPaths = officeRoutes.filter((route) => !drawnRoutes.includes(route)).map(({ path = '' }) => path)

/** Renders every page with all of its views, and the page for unknown addresses. */
export async function drawPages(): Promise<DrawnPage[]> {
  beginHydration()
  setConfig({ apiUrl: '', anonKey: '', settings: marks() })
  setContent(templateContent())
  const drawn: DrawnPage[] = []
  for (const route of drawnRoutes) {
    const isNotFound = route === notFoundRoute
    const path = route.index ? '/' : isNotFound ? '/404' : `/${route.path ?? ''}`
    await fetchPage(routes, { pathname: path, search: '' })
    const source = await sourceOf(route.Component)
    const file = isNotFound ? '404.html' : `${path.slice(1)}/index.html`.replace(/^\//, '')
    drawn.push({ address: path, file, sources: [source], ...(await draw(path)) })
    for (const [query, fetchView] of Object.entries(viewsOf(route))) {
      const sources = [source, await sourceOf(await fetchView())]
      const address = `${path}?${query}`
      drawn.push({ address, file: file.replace(/html$/, `${query}.html`), sources, ...(await draw(address)) })
    }
  }
  return drawn
}

/** Renders the page at an address. The code of the page must have been fetched before. */
async function draw(address: string): Promise<Pick<DrawnPage, 'html' | 'head'>> {
  const handler = createStaticHandler(routes)
  const context = await handler.query(new Request(`http://localhost${address}`))
  if (context instanceof Response) throw new Error(`${address} leads elsewhere`)
  let head: PageHead | undefined
  const html = renderToString(
    <StrictMode>
      <HeadTaker value={(taken) => (head = taken)}>
        <StaticRouterProvider router={createStaticRouter(handler.dataRoutes, context)} context={context} hydrate={false} />
      </HeadTaker>
    </StrictMode>,
  )
  if (!head) throw new Error(`${address} was not drawn`)
  return { html, head }
}
