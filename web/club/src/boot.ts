/**
 * The first script of every page, and the only one in the document. A page rendered at build time can already be read, so the app's code is loaded
 * only after the page has been painted: until then, HTML and fonts have the network and the processor to themselves.
 */
import './styles/index.css'

const root = document.getElementById('root')

/** The button that was clicked last before the app was loaded. */
const early: { pressed?: HTMLButtonElement | null } = {}
const keepPress = ({ target }: Event) => {
  early.pressed = target instanceof Element ? target.closest('button') : null
}
document.addEventListener('click', keepPress, { capture: true })

/** Milliseconds after which the app is loaded even if nothing has been painted. */
const patience = 1000

function painted(): Promise<void> {
  return new Promise((resolve) => {
    // The browser paints right after the callbacks of a frame; a task queued in the callback runs after the paint.
    requestAnimationFrame(() => void setTimeout(resolve))
    setTimeout(resolve, patience)
  })
}

if (root?.dataset.page !== undefined) {
  await painted()
  // Loads the page's own code in parallel with the app, which would request it later.
  for (const address of root.dataset.scripts?.split(' ') ?? []) {
    document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href: address }))
  }
}
const { standing } = await import('./main')
// From here on React answers each click itself, also while it hydrates the page.
document.removeEventListener('click', keepPress, { capture: true })
await standing
if (early.pressed?.isConnected) early.pressed.click()
