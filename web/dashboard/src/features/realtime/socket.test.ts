import { expect, it } from 'vitest'
import { socketUrl } from './socket'

it.each([
  ['ws://127.0.0.1:54321/realtime/v1', 'http://localhost:4101', 'ws://localhost:4101/realtime/v1'],
  ['ws://127.0.0.1:54321/realtime/v1', 'https://club.example', 'wss://club.example/realtime/v1'],
  ['wss://club.example/api/realtime/v1', 'http://127.0.0.1:54321', 'ws://127.0.0.1:54321/api/realtime/v1'],
])('%s at %s', (configured, origin, url) => {
  expect(socketUrl(configured, origin)).toBe(url)
})
