import { apiUrl, path } from '@/lib/api'
import type { Rule } from './lifecycle'

/** `SUSPENDED`: existing versions are kept, but no new ones are made. */
export type VersioningStatus = 'DISABLED' | 'ENABLED' | 'SUSPENDED'

export interface Bucket {
  id: string
  name: string
  public: boolean
  file_size_limit?: number | null
  allowed_mime_types?: string[] | null
  created_at: string
  objects: number
  bytes: number
  /** Whether the bucket keeps old versions of replaced and deleted files. */
  has_versions: boolean
  versioning_status: VersioningStatus
  /** The lifecycle rules. */
  rules: Rule[]
}

/** A file, or a folder if `id` is null. */
export interface Entry {
  name: string
  id?: string | null
  updated_at?: string | null
  metadata?: { size?: number; mimetype?: string } | null
}

/** A version of a file: the current one, an old one or a delete marker. */
export interface Version {
  name: string
  version: string
  created_at?: string | null
  /** Time at which the version was replaced or deleted. Null for the current version. */
  archived_at?: string | null
  is_delete_marker: boolean
  metadata?: Entry['metadata']
}

export interface Versions {
  objects: Version[]
  hasNext: boolean
}

export const filesKey = ['files'] as const

/** Path of an object below /_/api. Slashes in the object's name are not encoded. */
export const objectPath = (bucket: string, name: string) =>
  path`/files/buckets/${bucket}/objects/` + name.split('/').map(encodeURIComponent).join('/')

export const objectUrl = (bucket: string, name: string, download?: string, version?: string) =>
  apiUrl(objectPath(bucket, name), { download, version })

/** Whether the browser shows files of this type as pictures. SVG is excluded, because it can contain scripts. */
export const isPicture = (type: string | undefined) =>
  ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'].includes(type ?? '')
