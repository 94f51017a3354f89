import { useQuery } from '@tanstack/react-query'
import { get, path } from './api'

/** A schema with the number of its relations. */
export interface SchemaName {
  name: string
  tables: number
}

/** A relation in a list. `rows` is an estimate, -1 if unknown. */
export interface TableName {
  name: string
  kind: 'table' | 'partitioned' | 'view' | 'materialized' | 'foreign'
  rls: boolean
  rows: number
  bytes: number | null
  comment: string | null
}

export type Base =
  | 'number'
  | 'boolean'
  | 'json'
  | 'text'
  | 'date'
  | 'time'
  | 'timestamp'
  | 'timestamptz'
  | 'uuid'
  | 'bytea'
  | 'array'
  | 'enum'
  | 'other'

export interface TableColumn {
  name: string
  type: string
  base: Base
  nullable: boolean
  default: string | null
  identity: 'always' | 'default' | null
  generated: boolean
  comment: string | null
  values: string[] | null
  /** The enum that is the type of the column. Null if the type is not an enum. */
  enum: { schema: string; name: string } | null
}

export interface Reference {
  name: string
  columns: string[]
  schema: string
  table: string
  referenced: string[]
}

/** A publication, and how it includes one table. */
export interface Publication {
  name: string
  /** Whether the publication sends the changes of the table. */
  sends: boolean
  /** Whether the publication lists the table by name. If so, the table can be removed from it. */
  named: boolean
  /** Whether the publication sends all tables of the schema or of the database. */
  whole: boolean
}

export interface TableDetail {
  schema: string
  name: string
  kind: TableName['kind']
  rls: boolean
  forced: boolean
  rows: number
  bytes: number | null
  comment: string | null
  definition: string | null
  primary_key: string[]
  /** Columns that identify a row. If the list is empty, rows cannot be edited. */
  key: string[]
  columns: TableColumn[]
  foreign_keys: Reference[]
  referenced_by: Reference[]
  indexes: {
    name: string
    definition: string
    unique: boolean
    primary: boolean
    valid: boolean
    bytes: number
    scans: number
  }[]
  constraints: { name: string; type: string; definition: string }[]
  policies: {
    name: string
    permissive: boolean
    command: string
    roles: string[]
    using: string | null
    check: string | null
  }[]
  triggers: { name: string; definition: string; enabled: boolean }[]
  publications: Publication[]
  grants: { role: string; privileges: string[] }[]
}

export interface SchemaFunction {
  name: string
  arguments: { name: string | null; type: string; has_default: boolean }[]
  returns: string
  set: boolean
  volatility: string
  comment: string | null
}

/** The query keys of all data from PostgreSQL's catalog begin with this, so that a change of the schema invalidates all of this data. */
export const schemaKey = ['schema'] as const

export const useSchemas = () =>
  useQuery({
    queryKey: [...schemaKey, 'schemas'],
    queryFn: ({ signal }) => get<{ schemas: SchemaName[] }>('/schema', {}, signal),
  })

/** The platform's schemas. The project neither made them nor keeps its tables in them. */
const platform =
  /^(auth|storage|realtime|_realtime|_analytics|_supavisor|vault|pgsodium|pgsodium_masks|pgbouncer|net|cron|pgmq|pgmq_public|extensions|graphql|graphql_public|tiger|tiger_data|topology|supabase_\w+)$/

/** Whether a schema belongs to the platform and not to the project. */
export const isPlatformSchema = (schema: string) => platform.test(schema)

/** Names for the completion, from all schemas; those of `public` come first. */
export interface Completion {
  tables: [schema: string, name: string, columns: string[]][]
  types: [schema: string, name: string][]
}

export const useCompletion = () =>
  useQuery({
    queryKey: [...schemaKey, 'completion'],
    staleTime: 60_000,
    queryFn: ({ signal }) => get<Completion>('/completion', {}, signal),
  })

export const useTables = (schema: string) =>
  useQuery({
    queryKey: [...schemaKey, 'tables', schema],
    queryFn: ({ signal }) => get<{ tables: TableName[] }>(path`/schema/${schema}`, {}, signal),
  })

export const useTable = (schema: string, table: string) =>
  useQuery({
    queryKey: [...schemaKey, 'table', schema, table],
    queryFn: ({ signal }) => get<TableDetail>(path`/schema/${schema}/tables/${table}`, {}, signal),
  })

export const useFunctions = (schema: string) =>
  useQuery({
    queryKey: [...schemaKey, 'functions', schema],
    queryFn: ({ signal }) => get<{ functions: SchemaFunction[] }>(path`/schema/${schema}/functions`, {}, signal),
  })
