/**
 * The first script of every page, and the only one in the HTML document. A page rendered at build time can already be read, so this script loads the
 * app's code only after the browser has painted the page. Until then, only HTML and fonts use the network and the processor.
 */
import './styles/index.css'

const root = document.getElementById('root')

/** The button that was clicked last before the app was loaded. */
const early: { pressed?: HTMLButtonElement | null } = {}
const keepPress = ({ target }: Event) => {
  early.pressed = target instanceof Element ? target.closest('button') : null
}
document.addEventListener('click', keepPress, { capture: true })

/** The app is loaded after this number of milliseconds, even if the browser has not painted the page yet. */
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
  // Starts to load the page's own code now, in parallel with the app's code. The app would request it later.
  for (const address of root.dataset.scripts?.split(' ') ?? []) {
    document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href: address }))
  }
}
const { standing } = await import('./main')
// From here on, React handles each click itself, also while it hydrates the page.
document.removeEventListener('click', keepPress, { capture: true })
await standing
if (early.pressed?.isConnected) early.pressed.click()
