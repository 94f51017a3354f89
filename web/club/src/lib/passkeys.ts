/** Whether passkeys can be created and used in this browser at this address. They need https or localhost, and a host name. */
export function passkeysPossible(): boolean {
  const isNumber = /^[\d.]+$|^\[/.test(window.location.hostname)
  return typeof window.PublicKeyCredential === 'function' && !isNumber
}

/** Whether the user has closed the browser's dialog for passkeys, or the dialog has timed out. */
export function wasCancelled(error: unknown): boolean {
  const names = [nameOf(error), nameOf((error as { cause?: unknown } | null)?.cause)]
  return names.some((name) => name === 'NotAllowedError' || name === 'AbortError')
}

function nameOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'name' in error ? error.name : undefined
}
