/** What an error says, for people; `fallback` if it says nothing. */
export function messageOf(error: unknown, fallback = 'Something went wrong'): string {
  if (typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string') {
    return error.message || fallback
  }
  return fallback
}
