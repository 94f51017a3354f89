import { startTransition, StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { createBrowserRouter } from 'react-router'
import { App } from './app/App'
import { fetchPage } from './app/fetch-page'
import { routes } from './app/routes'
import { loadConfig } from './lib/config'
import { draftKeys } from './lib/forms/draft'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no element with the id root')

// Any page of the website deletes the drafts that have expired.
draftKeys()

// Before the pages' code, which reads what it shows.
if (new URLSearchParams(window.location.search).has('preview')) await (await import('./app/preview')).showDraft()

const [, arrived] = await Promise.all([
  loadConfig().catch((error: unknown) => {
    // The pages can be read without the server; forms try again when they are sent.
    console.warn('The site’s configuration could not be loaded.', error)
  }),
  fetchPage(routes, window.location),
])

let markStanding: () => void = () => undefined
/** Kept when the page answers. */
export const standing = new Promise<void>((resolve) => (markStanding = resolve))

// A page that was drawn at build time is hydrated; a query may ask for another view of it, which may have been drawn as well.
const { pathname, search } = window.location
const isHydrated = arrived && root.dataset.page === pathname + search

const app = (
  <StrictMode>
    <App
      // With hydration data, the router does not scroll at the start: the visitor may have scrolled already, or be pressing a button.
      router={createBrowserRouter(routes, isHydrated ? { hydrationData: {} } : undefined)}
      onStanding={markStanding}
    />
  </StrictMode>
)
// In a transition React works in small pieces, between which the page answers.
startTransition(() => {
  if (isHydrated) hydrateRoot(root, app)
  else createRoot(root).render(app)
})
