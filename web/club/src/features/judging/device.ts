/** Where the token lies that tells the server that a judge was in from this device before: its guesses are counted on their own. */
const key = 'judging:device'

export function readDevice(): string | undefined {
  return localStorage.getItem(key) ?? undefined
}

export function keepDevice(token: string) {
  localStorage.setItem(key, token)
}
