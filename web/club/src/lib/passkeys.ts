/** Whether this browser can make and use a passkey here: it needs a secure page, and an address that is a name. */
export function passkeysPossible(): boolean {
  const isNumber = /^[\d.]+$|^\[/.test(window.location.hostname)
  return typeof window.PublicKeyCredential === 'function' && !isNumber
}

/** Whether the person closed the browser's window for passkeys, or let it stand until it closed itself. */
export function wasCancelled(error: unknown): boolean {
  const names = [nameOf(error), nameOf((error as { cause?: unknown } | null)?.cause)]
  return names.some((name) => name === 'NotAllowedError' || name === 'AbortError')
}

function nameOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'name' in error ? error.name : undefined
}
