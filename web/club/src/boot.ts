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

/** Pauses, so that the browser can react to the visitor. */
const pause = () => new Promise((resolve) => setTimeout(resolve))

/** Starts to load the scripts. Thirty requests at once would block the page. */
async function load(scripts: readonly string[]) {
  for (const [place, address] of scripts.entries()) {
    if (place % 8 === 7) await pause()
    document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href: address }))
  }
}

/**
 * Runs the scripts one after the other. Each script comes after those that it imports, so none runs as a part of another one. Between two scripts, the
 * browser can react to the visitor: on a slow phone, all of them together would block the page for half a second.
 */
async function runInTurn(scripts: readonly string[]) {
  for (const address of scripts) {
    await import(/* @vite-ignore */ address)
    await pause()
  }
}

if (root?.dataset.page !== undefined) {
  await painted()
  const scripts = root.dataset.scripts?.split(' ') ?? []
  await load(scripts)
  try {
    await runInTurn(scripts)
  } catch {
    // If a script cannot be loaded, the app requests it again and shows the error.
  }
}
const { standing } = await import('./main')
// From here on, React handles each click itself, also while it hydrates the page.
document.removeEventListener('click', keepPress, { capture: true })
await standing
if (early.pressed?.isConnected) early.pressed.click()
