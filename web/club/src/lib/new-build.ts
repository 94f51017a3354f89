/**
 * Detects whether a new build of the site was deployed while a page is open. If so, code that the page still has to load may no longer exist. The
 * name of the entry script changes with each build, and the shell page contains this name.
 */

/** Minimum number of milliseconds between two checks. */
const minCheckGap = 60_000
/** An open page checks at this interval, in milliseconds. */
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
    // If the response contains no module script, it is not the shell page, but for example the error page of a proxy.
    isNewBuild = answer.ok && /<script type="module"[^>]* src="/.test(page) && !page.includes(`"${script}"`)
  } catch {
    // There is no network, so nothing is known about a new build.
  }
  if (isNewBuild) listeners.forEach((listener) => listener())
}

export const isNewBuildKnown = () => isNewBuild

/** Calls the listener when a new build has been deployed. Checks at intervals while the page is visible. */
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

/** Reloads the page, which then uses the new build. The user is not asked for confirmation, because forms store their input. */
export function reloadKeepingDrafts() {
  isReloading = true
  window.location.reload()
}

/** Whether the page is being reloaded by `reloadKeepingDrafts`. */
export const keepsDrafts = () => isReloading
