/**
 * Notices that the site was renewed while it is open: the code that it would fetch next may be gone. Every build names its first script
 * anew, and the shell names that script.
 */

/** Milliseconds between two looks, at least. */
const gap = 60_000
/** Milliseconds after which an open page looks again. */
const interval = 10 * 60_000

let isRenewed = false
let isReloading = false
let lookedAt = 0
const listeners = new Set<() => void>()

const shell = '/200.html'
const ownScript = () => document.querySelector('script[type=module][src]')?.getAttribute('src') ?? undefined

/** Looks whether the site was renewed. Never throws. */
export async function noticeRenewal(): Promise<void> {
  const script = ownScript()
  if (isRenewed || script === undefined) return
  try {
    const answer = await fetch(shell, { cache: 'no-cache' })
    const page = await answer.text()
    // An answer that names no script at all is no shell: a proxy's own page, say.
    isRenewed = answer.ok && /<script type="module"[^>]* src="/.test(page) && !page.includes(`"${script}"`)
  } catch {
    // No network: nothing is known.
  }
  if (isRenewed) listeners.forEach((listener) => listener())
}

export const wasRenewed = () => isRenewed

/** Calls back when the site was renewed, looking for it now and then while the page is in view. */
export function onRenewal(listener: () => void): () => void {
  listeners.add(listener)
  const look = () => {
    if (document.visibilityState !== 'visible' || Date.now() - lookedAt < gap) return
    lookedAt = Date.now()
    void noticeRenewal()
  }
  const timer = window.setInterval(look, interval)
  document.addEventListener('visibilitychange', look)
  return () => {
    listeners.delete(listener)
    window.clearInterval(timer)
    document.removeEventListener('visibilitychange', look)
  }
}

/** Loads the renewed site. Forms keep what was typed in them, so nobody is asked whether to leave. */
export function reloadKeepingDrafts() {
  isReloading = true
  window.location.reload()
}

/** Whether the page is left by `reloadKeepingDrafts`. */
export const keepsDrafts = () => isReloading
