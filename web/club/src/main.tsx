import { startTransition, StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { createBrowserRouter } from 'react-router'
import { App } from './app/App'
import { fetchPage } from './app/fetch-page'
import { routes } from './app/routes'
import { loadConfig } from './lib/config'
import { draftKeys } from './lib/forms/draft'
import { sweepSentEntries } from './lib/sent-entries'
import { getContent } from './lib/site-content'
import { beginHydration, endHydration } from './lib/use-hydrated'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no element with the id root')

// Deletes expired drafts, on whichever page the visitor is.
draftKeys()
// Deletes expired links. The published content in the page contains whether entries are open.
sweepSentEntries(getContent().entries.isClosed)

// This must run before the code of the pages is loaded, because that code reads the content.
if (new URLSearchParams(window.location.search).has('preview')) await (await import('./app/preview')).showDraft()

const [, arrived] = await Promise.all([
  loadConfig().catch((error: unknown) => {
    // The pages can be read without the server. When a form is sent, the configuration is requested again.
    console.warn('The site’s configuration could not be loaded.', error)
  }),
  fetchPage(routes, window.location),
])

let markStanding: () => void = () => undefined
/** Resolves when the page is rendered or hydrated, so that it reacts to the visitor. */
export const standing = new Promise<void>((resolve) => (markStanding = resolve))

// A page that was rendered at build time is hydrated. If the query selects another view, the page is hydrated only if exactly this view was rendered.
const { pathname, search } = window.location
const isHydrated = arrived && root.dataset.page === pathname + search
if (isHydrated) beginHydration()
// The following step takes long. Before it begins, the browser can react to the visitor.
await new Promise((resolve) => setTimeout(resolve))

const app = (
  <StrictMode>
    <App
      // With `hydrationData`, the router does not scroll at the start. At this moment the visitor may already have scrolled or be clicking a button.
      router={createBrowserRouter(routes, isHydrated ? { hydrationData: {} } : undefined)}
      onStanding={() => {
        endHydration()
        markStanding()
      }}
    />
  </StrictMode>
)
// In a transition, React renders in small pieces. Between them, the page can react to the visitor.
startTransition(() => {
  if (isHydrated) hydrateRoot(root, app)
  else createRoot(root).render(app)
})
