/**
 * The address of the realtime socket at the server that the page came from: the page's Content-Security-Policy allows no other.
 * @param configured the address by the configuration, whose path is kept
 */
export function socketUrl(configured: string, origin: string): string {
  const url = new URL(new URL(configured).pathname, origin)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  return url.href
}
