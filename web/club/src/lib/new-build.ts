/**
 * Detects that a new build of the site was deployed while a page is open: code that the page has yet to load may be gone. The entry
 * script's name changes with each build, and the shell page names that script.
 */

/** Minimum time between two checks, in milliseconds. */
const minCheckGap = 60_000
/** The time after which an open page checks again, in milliseconds. */
const checkInterval = 10 * 60_000

let isNewBuild = false
let isReloading = false
let checkedAt = 0
const listeners = new Set<() => void>()

const shell = '/200.html'
const ownScript = () => document.querySelector('script[type=module][src]')?.getAttribute('src') ?? undefined

/** Fetches the shell page and compares the name of its entry script with that of this page. Never throws. */
export async function checkForNewBuild(): Promise<void> {
  const script = ownScript()
  if (isNewBuild || script === undefined) return
  try {
    const answer = await fetch(shell, { cache: 'no-cache' })
    const page = await answer.text()
    // A response without a module script is not the shell page, but for example a proxy's error page.
    isNewBuild = answer.ok && /<script type="module"[^>]* src="/.test(page) && !page.includes(`"${script}"`)
  } catch {
    // Without network, the result is unknown.
  }
  if (isNewBuild) listeners.forEach((listener) => listener())
}

export const isNewBuildKnown = () => isNewBuild

/** Calls the listener when a new build is deployed; checks at intervals while the page is visible. */
export function onNewBuild(listener: () => void): () => void {
  listeners.add(listener)
  const check = () => {
    if (document.visibilityState !== 'visible' || Date.now() - checkedAt < minCheckGap) return
    checkedAt = Date.now()
    void checkForNewBuild()
  }
  const timer = window.setInterval(check, checkInterval)
  document.addEventListener('visibilitychange', check)
  return () => {
    listeners.delete(listener)
    window.clearInterval(timer)
    document.removeEventListener('visibilitychange', check)
  }
}

/** Reloads the page for the new build. Forms store their input, so the user is not asked for confirmation. */
export function reloadKeepingDrafts() {
  isReloading = true
  window.location.reload()
}

/** Whether `reloadKeepingDrafts` reloads the page. */
export const keepsDrafts = () => isReloading
