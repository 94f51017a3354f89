/**
 * URL of the realtime WebSocket. Its host is always the server that delivered the page, because the Content-Security-Policy of the page allows no
 * other host.
 * @param configured the configured URL, of which only the path is used
 */
export function socketUrl(configured: string, origin: string): string {
  const url = new URL(new URL(configured).pathname, origin)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  return url.href
}
