import * as z from 'zod/mini'

/**
 * The project's free-form table `[web.settings]` of cloch.toml. Every key has a default, so that a site without settings still
 * reads well; the addresses use the reserved domain example.org, which can never reach a stranger.
 */
const settingsSchema = z.object({
  clubName: text('Gourock Service Club'),
  clubEmail: email('club@example.org'),
  awardsEmail: email('awards@example.org'),
  officerEmail: email('officer@example.org'),
  filesEmails: z.catch(z.array(z.email()), ['awards@example.org', 'officer@example.org']),
  exportEmail: email('awards@example.org'),
  firstAdminEmail: email('admin@example.org'),
  websiteUrl: link('http://127.0.0.1:54321'),
  ticketsUrl: link('https://example.org/tickets'),
  privacyUrl: link('https://www.rotary.org/en/privacy-policy'),
  organisationUrl: link('https://www.rotary.org/'),
  siteBuilderUrl: link('https://example.org/site-builder'),
  mapsUrl: link('https://www.google.com/maps/search/?api=1&query=Gourock+Golf+Club+Gourock+Scotland'),
  musicianPackUrl: link('https://example.org/young-musician-information-pack.pdf'),
  photographerPackUrl: link('https://example.org/young-photographer-information-pack.pdf'),
  photographerFormUrl: link('https://example.org/young-photographer-entry-form.pdf'),
})

const configSchema = z.object({
  /** Base address of the API; '' means the address that served this page. */
  apiUrl: z._default(z.string(), ''),
  anonKey: z.string().check(z.minLength(1)),
  settings: z.optional(settingsSchema),
})

/** What a club may set without a developer: names, addresses and external links. */
export type Settings = z.infer<typeof settingsSchema>
export type Config = z.infer<typeof configSchema> & { settings: Settings }

function text(fallback: string) {
  return z.catch(z.string().check(z.minLength(1)), fallback)
}

function email(fallback: string) {
  return z.catch(z.email(), fallback)
}

function link(fallback: string) {
  return z.catch(z.url({ protocol: /^https?$/ }), fallback)
}

/** Milliseconds after which the site is shown without the server's configuration. */
const patience = 5000

const defaultSettings = settingsSchema.parse({})
let current: Config | undefined

/** Reads what /_/config.json said; a single wrong setting falls back to its default, a missing key is an error. */
export function parseConfig(raw: unknown): Config {
  const config = configSchema.parse(raw)
  return { ...config, settings: config.settings ?? defaultSettings }
}

/**
 * Fetches the run-time configuration once. Call it before rendering, and again before using the API: after a failure (server away,
 * no network) it tries anew.
 *
 * @throws when the server does not answer or answers something that is no configuration
 */
export async function loadConfig(): Promise<Config> {
  if (current) return current
  const answer = await fetch('/_/config.json', { signal: AbortSignal.timeout(patience) })
  if (!answer.ok) throw new Error(`/_/config.json answered ${answer.status}`)
  current = parseConfig(await answer.json())
  return current
}

/** The configuration that was loaded, or undefined while the server has not answered. */
export function getConfig(): Config | undefined {
  return current
}

/** The club's settings; the defaults while the server has not answered, so that pages can always be read. */
export function getSettings(): Settings {
  return current?.settings ?? defaultSettings
}

/** Base address of the API: the configured one, or the address that served this page. */
export function apiUrl(): string {
  const configured = current?.apiUrl
  return configured === undefined || configured === '' ? window.location.origin : configured
}

/** Sets the configuration by hand: for tests only. */
export function setConfig(config: Config | undefined) {
  current = config
}
