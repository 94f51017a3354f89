/** The settings that owners can change, as returned by /_/api/settings. */

export type Kind =
  | { type: 'switch' | 'size' | 'duration' | 'text' | 'lines' | 'template' | 'url' | 'list' | 'ignored' | 'secret' }
  | { type: 'count'; min: number; max: number }
  | { type: 'choice'; choices: string[] }

/** An entry of the ignored advisor findings. */
export interface Ignore {
  lint: string
  /** The objects, as `schema.name`. If it is empty, all findings of the rule are ignored. */
  on: string[]
  reason: string
}

export type Value = boolean | number | string | string[] | Ignore[] | null

export interface Setting {
  key: string
  file: 'config.toml' | 'cloch.toml'
  label: string
  hint: string
  kind: Kind
  /** Name of the provider, hook, function or mail to which the setting belongs. Empty for most settings. */
  name: string
  /** The value in the project's files. Null for a secret. */
  value: Value
  default: Value
  /** Whether the file contains this setting. If not, the setting has its default. */
  is_set: boolean
  has_secret: boolean
  /** The reason why the setting cannot be changed here. Null if it can be changed. */
  locked: string | null
  /** The possible consequence of a change. If it is set, the user must type the setting's key before the change is written. */
  confirm: string | null
  waits_for_restart: boolean
  /** Whether a new value takes effect without a restart. */
  is_live: boolean
  /** Path of the mail template's file, relative to the project's folder. Null if the default text is sent. */
  path?: string | null
}

export interface Group {
  name: string
  title: string
  settings: Setting[]
}

export interface Editable {
  groups: Group[]
  callback_url: string
  /** The reason why the files cannot be read. If it is set, no setting can be changed. */
  problem: string | null
  writable: boolean
  restart: { settings: string[]; command: string }
}

/** A new value of a setting. Null removes the setting from its file. */
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

/** The changes that were written, and when each takes effect. */
export interface Saved {
  changes: { key: string; effect: 'applied' | 'next start' }[]
  /** The reason why the server could not apply the files. If it is set, the earlier values stay in effect. */
  problem: string | null
  restart: string
}

/** A node of the project, and whether the settings that were changed in the dashboard are in effect there. */
export interface Node {
  id: string
  name: string
  is_this: boolean
  is_running: boolean
  /** Whether the node has not read the last change yet. */
  is_behind: boolean
  /** Whether this node's state can be read. False if its keys in secrets.toml differ from those of the node that answers. */
  is_readable: boolean
  /** Changes that the node could not apply. */
  problems: { keys: string[]; reason: string }[]
  /** Keys of the settings that take effect on this node only after its restart. */
  waiting: string[]
}

export const nodesKey = ['settings', 'nodes'] as const

export const editableKey = ['settings', 'editable'] as const
