export interface EdgeFunction {
  name: string
  version: string | number | null
  verify_jwt: boolean
  source: 'folder' | 'deployed'
  /** Whether the version booted when the server switched to it. */
  boots?: boolean | null
  entrypoint: string | null
  updated_at: string | null
}

export interface Version {
  version: string | number
  created_at: string
  current: boolean
}

export interface SourceFile {
  path: string
  bytes: number
  text?: string | null
}

export interface Secret {
  name: string
  digest: string
  source: 'config.toml' | 'secrets'
}

export const functionsKey = ['functions'] as const
