/** Whether this browser can create and use passkeys here: it needs https or localhost, and a host name. */
export function passkeysPossible(): boolean {
  const isNumber = /^[\d.]+$|^\[/.test(window.location.hostname)
  return typeof window.PublicKeyCredential === 'function' && !isNumber
}

/** Whether the user closed the browser's dialog for passkeys, or it timed out. */
export function wasCancelled(error: unknown): boolean {
  const names = [nameOf(error), nameOf((error as { cause?: unknown } | null)?.cause)]
  return names.some((name) => name === 'NotAllowedError' || name === 'AbortError')
}

function nameOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'name' in error ? error.name : undefined
}
