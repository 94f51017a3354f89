export interface EdgeFunction {
  name: string
  version: string | number | null
  verify_jwt: boolean
  source: 'folder' | 'deployed' | 'built-in'
  /** False if the last worker failed to start or crashed and none serves; otherwise whether the version started when it was deployed. */
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
  source: 'config.toml' | 'secrets'
}

export const functionsKey = ['functions'] as const
