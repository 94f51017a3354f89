import { useQuery } from '@tanstack/react-query'
import { get, path } from './api'
import { schemaKey } from './schema'

/** A foreign key of a table in the diagram. */
export interface DiagramReference {
  name: string
  columns: string[]
  schema: string
  table: string
  referenced: string[]
}

export interface DiagramTable {
  name: string
  partitioned: boolean
  columns: { name: string; type: string; nullable: boolean; key: boolean }[]
  foreign_keys: DiagramReference[]
}

export interface DatabaseFunction {
  oid: number
  name: string
  /** The argument types, in the form that `drop function` requires. */
  arguments: string
  /** Type of the result. Null for a procedure. */
  returns: string | null
  procedure: boolean
  language: string
  definer: boolean
  volatility: string
  owner: string
  /** Name of the extension to which the function belongs. Null if it belongs to none. */
  extension: string | null
}

export interface Trigger {
  oid: number
  name: string
  table: string
  enabled: boolean
  timing: string
  events: string[]
  each_row: boolean
  function_schema: string
  function: string
}

export interface Index {
  name: string
  table: string
  definition: string
  unique: boolean
  primary: boolean
  valid: boolean
  partitioned: boolean
  bytes: number
  scans: number
  /** Whether a constraint needs the index. If so, the constraint must be dropped, not the index. */
  constrains: boolean
}

export interface EnumType {
  name: string
  values: string[]
  /** The columns that have this type: schema, table and column. */
  columns: string[]
}

export interface Extension {
  name: string
  /** The enabled version. Null if the extension is not enabled. */
  version: string | null
  schema: string | null
  default_version: string | null
  comment: string | null
  /** The schema in which the extension must be created. Null if it can be created in any schema. */
  fixed_schema: string | null
  requires: string[]
}

export interface DatabaseRole {
  name: string
  superuser: boolean
  login: boolean
  inherit: boolean
  createdb: boolean
  createrole: boolean
  replication: boolean
  bypassrls: boolean
  member_of: string[]
  members: string[]
  /** Whether the role belongs to the platform. Such a role cannot be changed. */
  platform: boolean
}

export interface DatabasePublication {
  name: string
  owner: string
  /** Whether the publication sends changes of all tables in the database. */
  whole: boolean
  events: string[]
  tables: { schema: string; table: string }[]
  /** Schemas whose tables are all sent by the publication. */
  schemas: string[]
}

interface Catalog {
  diagram: DiagramTable
  functions: DatabaseFunction
  triggers: Trigger
  indexes: Index
  enums: EnumType
  extensions: Extension
  roles: DatabaseRole
  publications: DatabasePublication
}

export interface Listed<Row> {
  rows: Row[]
  /** Whether rows are missing, because the server limits the length of the list. */
  truncated: boolean
}

/**
 * Reads a list of database objects. @param schema ignored for kinds of objects that belong to the whole database @param only filter for the
 * rows. It must be the same function object in each call
 */
export const useCatalog = <Kind extends keyof Catalog>(
  kind: Kind,
  schema = 'public',
  only?: (rows: Catalog[Kind][]) => Catalog[Kind][],
) =>
  useQuery({
    queryKey: [...schemaKey, 'catalog', kind, schema],
    queryFn: ({ signal }) => get<Listed<Catalog[Kind]>>(path`/catalog/${kind}`, { schema }, signal),
    ...(only && { select: (list: Listed<Catalog[Kind]>) => ({ ...list, rows: only(list.rows) }) }),
  })

/** Reads the code of a function or the statement of a trigger, which viewers may not read. */
export const getDefinition = async (kind: 'functions' | 'triggers', oid: number, signal?: AbortSignal) =>
  (await get<{ definition: string }>(path`/catalog/${kind}/${oid}`, {}, signal)).definition
