/**
 * The first script of every page, and the only one that the document names. A page that was drawn at build time can be read as it is:
 * the program comes once it has been painted, so that words and letters have the line and the processor to themselves.
 */
import './styles/index.css'

const root = document.getElementById('root')

/** The button that was pressed last while there was no program to answer. */
const early: { pressed?: HTMLButtonElement | null } = {}
const keepPress = ({ target }: Event) => {
  early.pressed = target instanceof Element ? target.closest('button') : null
}
document.addEventListener('click', keepPress, { capture: true })

/** Milliseconds after which the program comes even if nothing was painted. */
const patience = 1000

function painted(): Promise<void> {
  return new Promise((resolve) => {
    // A frame is painted right after its callbacks; the task that follows comes after the paint.
    requestAnimationFrame(() => void setTimeout(resolve))
    setTimeout(resolve, patience)
  })
}

if (root?.dataset.page !== undefined) {
  await painted()
  // The page's own code comes beside the program, which would ask for it later.
  for (const address of root.dataset.scripts?.split(' ') ?? []) {
    document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href: address }))
  }
}
const { standing } = await import('./main')
await standing
document.removeEventListener('click', keepPress, { capture: true })
if (early.pressed?.isConnected) early.pressed.click()
