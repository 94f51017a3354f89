/**
 * The project's configuration from the server: URL of its API, public key, and the club's public settings. It is parsed without a schema library,
 * because every page needs it before the first paint.
 */

/** Settings that a club can change without a developer: names, addresses and external links. */
export interface Settings {
  clubName: string
  clubEmail: string
  awardsEmail: string
  officerEmail: string
  filesEmails: string[]
  exportEmail: string
  firstAdminEmail: string
  websiteUrl: string
  ticketsUrl: string
  privacyUrl: string
  organisationUrl: string
  siteBuilderUrl: string
  mapsUrl: string
  musicianPackUrl: string
  photographerPackUrl: string
  photographerFormUrl: string
  /** Number at the Scottish charity regulator; empty if it is not shown. */
  charityNumber: string
  /** Days after which the server's backups are deleted; empty if the club makes no promise. */
  backupDays: string
}

export interface Config {
  /** Base URL of the API; '' means the origin of this page. */
  apiUrl: string
  anonKey: string
  settings: Settings
}

/**
 * The project's free-form table `[web.settings]` of cloch.toml. Every key has a default, so that a site without settings still
 * reads well; the addresses use the reserved domain example.org, which can never reach a stranger.
 */
export const defaultSettings: Settings = {
  clubName: 'Gourock Service Club',
  clubEmail: 'club@example.org',
  awardsEmail: 'awards@example.org',
  officerEmail: 'officer@example.org',
  filesEmails: ['awards@example.org', 'officer@example.org'],
  exportEmail: 'awards@example.org',
  firstAdminEmail: 'admin@example.org',
  websiteUrl: 'http://127.0.0.1:54321',
  ticketsUrl: 'https://example.org/tickets',
  privacyUrl: 'https://www.rotary.org/en/privacy-policy',
  organisationUrl: 'https://www.rotary.org/',
  siteBuilderUrl: 'https://example.org/site-builder',
  mapsUrl: 'https://www.google.com/maps/search/?api=1&query=Gourock+Golf+Club+Gourock+Scotland',
  musicianPackUrl: 'https://example.org/young-musician-information-pack.pdf',
  photographerPackUrl: 'https://example.org/young-photographer-information-pack.pdf',
  photographerFormUrl: 'https://example.org/young-photographer-entry-form.pdf',
  charityNumber: '',
  backupDays: '',
}

/** The names of settings determine their format: clubEmail, ticketsUrl, filesEmails. */
const looks: [name: RegExp, fits: (value: unknown) => boolean][] = [
  [/Emails$/, (value) => Array.isArray(value) && value.every(isEmail)],
  [/Email$/, isEmail],
  [/Url$/, isLink],
  [/./, (value) => typeof value === 'string' && value.trim() !== ''],
]

function isEmail(value: unknown): boolean {
  return typeof value === 'string' && /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/.test(value)
}

function isLink(value: unknown): boolean {
  return typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value)
}

function parseSettings(raw: unknown): Settings {
  const given = new Map(Object.entries(typeof raw === 'object' && raw !== null ? raw : {}))
  const settings = Object.entries(defaultSettings).map(([name, fallback]: [string, unknown]) => {
    const value: unknown = given.get(name)
    const fits = looks.find(([pattern]) => pattern.test(name))?.[1](value)
    return [name, fits ? value : fallback]
  })
  return Object.fromEntries(settings) as Settings
}

/**
 * Parses the server's configuration. An invalid setting is replaced by its default.
 * @throws if the key is missing
 */
export function parseConfig(raw: unknown): Config {
  const { apiUrl, anonKey, settings } = (raw ?? {}) as Record<string, unknown>
  if (typeof anonKey !== 'string' || anonKey === '') throw new Error('The server’s configuration has no anonKey.')
  return { apiUrl: typeof apiUrl === 'string' ? apiUrl : '', anonKey, settings: parseSettings(settings) }
}

/** Milliseconds after which the site is shown without the server's configuration. */
const patience = 5000

let current: Config | undefined

/** The configuration that the server inserted into the page; undefined if another server delivered the page. */
function writtenIntoPage(): Config | undefined {
  try {
    return parseConfig(JSON.parse(document.getElementById('config')?.textContent ?? ''))
  } catch {
    return undefined
  }
}

/**
 * Reads the configuration once: from the page, otherwise from /_/config.json. Call it before rendering, and again before using the API: after a
 * failure (server or network unavailable) it tries again.
 * @throws if the server does not respond, or not with a configuration
 */
export async function loadConfig(): Promise<Config> {
  current ??= writtenIntoPage()
  if (current) return current
  const answer = await fetch('/_/config.json', { signal: AbortSignal.timeout(patience) })
  if (!answer.ok) throw new Error(`/_/config.json answered ${answer.status}`)
  current = parseConfig(await answer.json())
  return current
}

/** The configuration, or undefined while it has not been read. */
export function getConfig(): Config | undefined {
  return current
}

/** The club's settings; the defaults while the configuration has not been read, so that pages can always be shown. */
export function getSettings(): Settings {
  return current?.settings ?? defaultSettings
}

/** Base URL of the API: the configured one, or the origin of this page. */
export function apiUrl(): string {
  const configured = current?.apiUrl
  return configured === undefined || configured === '' ? window.location.origin : configured
}

/** Sets the configuration, for pages rendered at build time and for tests. */
export function setConfig(config: Config | undefined) {
  current = config
}
