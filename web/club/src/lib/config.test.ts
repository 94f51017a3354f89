import { describe, expect, it } from 'vitest'
import { parseConfig } from './config'

describe('run-time configuration', () => {
  it('fills in every setting that the project omits', () => {
    const config = parseConfig({ apiUrl: '', anonKey: 'key' })
    expect(config.settings.clubName).toBe('Gourock Service Club')
    expect(config.settings.filesEmails).toHaveLength(2)
  })

  it('keeps the project’s settings and replaces only wrong values', () => {
    const { settings } = parseConfig({
      apiUrl: 'http://127.0.0.1:54321',
      anonKey: 'key',
      settings: { clubEmail: 'hello@club.example', awardsEmail: 'not an address', ticketsUrl: 'javascript:alert(1)' },
    })
    expect(settings.clubEmail).toBe('hello@club.example')
    expect(settings.awardsEmail).toBe('awards@example.org')
    expect(settings.ticketsUrl).toBe('https://example.org/tickets')
  })

  it('refuses a configuration without a key', () => {
    expect(() => parseConfig({ apiUrl: '' })).toThrow()
  })
})
