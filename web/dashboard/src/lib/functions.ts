/** Statistics of the calls of a function on the node that answered, since this node started. */
export interface Figures {
  calls: number
  /** Responses with a status 4xx. */
  refused: number
  /** Responses with a status 5xx. */
  failed: number
  /** Seconds until the head of the response, computed from the last 1,000 calls. Null if there were no calls. */
  latency: { p50: number; p95: number; p99: number } | null
}

export interface EdgeFunction {
  name: string
  version: string | number | null
  verify_jwt: boolean
  source: 'folder' | 'deployed' | 'built-in'
  /**
   * False if no worker serves the function, because the last one failed to start or crashed. Otherwise, whether the version started when it was
   * deployed.
   */
  boots?: boolean | null
  entrypoint: string | null
  updated_at: string | null
  figures: Figures
  /** Whether the project’s folder contains the function too. */
  is_in_folder: boolean
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

/** The source code of the served version. */
export interface FunctionSource {
  entrypoint: string
  files: SourceFile[]
  /** Paths of files with environment variables. Their contents are not included, because they may be secret. */
  env_files: string[]
  /** Changes whenever the version or one of its files changes. */
  revision: string
  /** False if the server serves only the functions in the project’s folder. */
  serves_versions: boolean
}

export interface Secret {
  name: string
  source: 'config.toml' | 'secrets'
}

export const functionsKey = ['functions'] as const
