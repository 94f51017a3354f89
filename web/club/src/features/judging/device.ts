/**
 * Key in localStorage for a token which proves that a judge has signed in on this device before. The server counts wrong passwords from such devices
 * separately.
 */
const key = 'judging:device'

export function readDevice(): string | undefined {
  return localStorage.getItem(key) ?? undefined
}

export function keepDevice(token: string) {
  localStorage.setItem(key, token)
}
