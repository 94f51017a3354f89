/** Draws the visitor's pages at build time; the build turns what comes of it into files. */
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
import { HeadTaker } from './lib/use-page'

/** What a page says until the server that sends it fills in the club's own. A list is nowhere shown. */
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

/** The source file that the component of a page, or of a view, comes from. */
async function sourceOf(component: unknown): Promise<string> {
  for (const [source, load] of Object.entries(sources)) {
    const module = await load()
    if ((module.Component ?? module.default) === component) return source.replace('./', 'src/')
  }
  throw new Error('A component that was drawn is in none of the files that hold pages and forms.')
}

/** Of the pages for those who sign in, the judges' gate is the same for everybody until its script has run. */
const drawnRoutes = [...visitorRoutes, ...judgingRoutes, notFoundRoute]

/** Pages that are not drawn: what they show depends on who asks. */
export const shellPaths = officeRoutes.filter((route) => !drawnRoutes.includes(route)).map(({ path = '' }) => path)

/** Draws every page and its views, and the page for addresses that are none. */
export async function drawPages(): Promise<DrawnPage[]> {
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

/** Draws what an address shows. The code for it has been fetched. */
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
