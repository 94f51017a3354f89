/**
 * The project's configuration from the server: the URL of the API, the public key, and the club's public settings. It is parsed without a schema
 * library, because every page needs it before the first paint.
 */

/** Settings that a club can change without a developer: names, addresses and links to other sites. */
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
  /** Registration number of the Scottish charity regulator. If it is empty, it is not shown. */
  charityNumber: string
  /** Number of days after which the server's backups are deleted. Empty if the privacy page makes no promise about this. */
  backupDays: string
}

export interface Config {
  /** Base URL of the API; '' means the origin of this page. */
  apiUrl: string
  anonKey: string
  settings: Settings
}

/**
 * Default settings. A project can replace them in the free-form table `[web.settings]` of cloch.toml. Every key has a default, so that the texts of a
 * site without settings are still correct. The e-mail addresses use the reserved domain example.org, so mails cannot reach a stranger.
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

/** Rules for the values of settings. The end of a setting's name determines its format: clubEmail, ticketsUrl, filesEmails. */
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

/** Milliseconds to wait for the server's configuration. After this time the site is shown without it. */
const patience = 5000

let current: Config | undefined

/** The configuration that the server has inserted into the page. Undefined if the page came from another server. */
function writtenIntoPage(): Config | undefined {
  try {
    return parseConfig(JSON.parse(document.getElementById('config')?.textContent ?? ''))
  } catch {
    return undefined
  }
}

/**
 * Reads the configuration once: from the page, or otherwise from /_/config.json. Call this before the first render, and again before the API is used:
 * if an earlier call failed (server or network unavailable), the configuration is requested again.
 * @throws if the server does not respond, or responds with something else
 */
export async function loadConfig(): Promise<Config> {
  current ??= writtenIntoPage()
  if (current) return current
  const answer = await fetch('/_/config.json', { signal: AbortSignal.timeout(patience) })
  if (!answer.ok) throw new Error(`/_/config.json answered ${answer.status}`)
  current = parseConfig(await answer.json())
  return current
}

/** The configuration; undefined until it has been read. */
export function getConfig(): Config | undefined {
  return current
}

/** The club's settings. Until the configuration has been read, the default settings, so that pages can always be shown. */
export function getSettings(): Settings {
  return current?.settings ?? defaultSettings
}

/** Base URL of the API. If none is configured, the origin of this page. */
export function apiUrl(): string {
  const configured = current?.apiUrl
  return configured === undefined || configured === '' ? window.location.origin : configured
}

/** Sets the configuration. Used for pages rendered at build time, and in tests. */
export function setConfig(config: Config | undefined) {
  current = config
}
