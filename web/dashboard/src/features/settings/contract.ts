/** The settings that owners change, as /_/api/settings describes them. */

export type Kind =
  | { type: 'switch' | 'size' | 'duration' | 'text' | 'lines' | 'url' | 'list' | 'secret' }
  | { type: 'count'; min: number; max: number }
  | { type: 'choice'; choices: string[] }

export type Value = boolean | number | string | string[] | null

export interface Setting {
  key: string
  file: 'config.toml' | 'cloch.toml'
  label: string
  hint: string
  kind: Kind
  /** The provider, function or mail that it belongs to; empty for most. */
  name: string
  /** What the files say; null for a secret. */
  value: Value
  default: Value
  /** Whether its file names it: otherwise it has its default. */
  is_set: boolean
  has_secret: boolean
  /** Why it cannot be changed here. */
  locked: string | null
  /** What may happen: then the key must be typed before the change is written. */
  confirm: string | null
  waits_for_restart: boolean
  /** Whether a new value is in effect without a restart. */
  is_live: boolean
}

export interface Group {
  name: string
  title: string
  settings: Setting[]
}

export interface Editable {
  groups: Group[]
  callback_url: string
  /** Why the files cannot be read; then nothing can be changed. */
  problem: string | null
  writable: boolean
  restart: { settings: string[]; command: string }
}

/** A new value of a setting; null removes it from its file. */
export interface Change {
  key: string
  value: Value
}

export interface Preview {
  files: { file: string; diff: string; version: string; paste: string | null }[]
  warnings: string[]
  variables: string[]
  env_file: string | null
  env_version: string | null
  confirm: { key: string; consequence: string }[]
  writable: boolean
  restart: string
}

/** What was written, and when it is in effect. */
export interface Saved {
  changes: { key: string; effect: 'applied' | 'next start' }[]
  /** Why the server could not apply the files: then the values before stay in effect. */
  problem: string | null
  restart: string
}

/** A node of the project, and what it has made of the settings that were changed in the dashboard. */
export interface Node {
  id: string
  name: string
  is_this: boolean
  is_running: boolean
  /** Whether it has not read the last change yet. */
  is_behind: boolean
  /** False if its keys differ from those of this node. */
  is_readable: boolean
  /** Changes that it did not apply. */
  problems: { keys: string[]; reason: string }[]
  /** Keys of settings that wait for its restart. */
  waiting: string[]
}

export const nodesKey = ['settings', 'nodes'] as const

export const editableKey = ['settings', 'editable'] as const
