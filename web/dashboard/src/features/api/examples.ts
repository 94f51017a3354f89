/** Code examples for each table and function: requests to the project's APIs, with their responses. */
import type { SchemaFunction, TableDetail } from '@/lib/schema'

export interface Example {
  title: string
  supabase: string
  curl: string
}

export interface Address {
  rest: string
  url: string
  key: string
}

const text = (value: string) => JSON.stringify(value)
/** Quotes a value for a shell. In single quotation marks, the shell expands nothing. */
const shell = (value: string) => `'${value.replaceAll("'", `'\\''`)}'`

/** Returns a sample value of a column's type. */
export function sample({ base, values, name }: Pick<TableDetail['columns'][number], 'base' | 'values' | 'name'>): unknown {
  switch (base) {
    case 'number':
      return 1
    case 'boolean':
      return true
    case 'json':
      return {}
    case 'array':
      return []
    case 'enum':
      return values?.[0] ?? ''
    case 'date':
      return '2026-01-31'
    case 'timestamp':
    case 'timestamptz':
      return '2026-01-31T09:00:00Z'
    case 'uuid':
      return '00000000-0000-4000-8000-000000000000'
    default:
      return `a ${name.replaceAll('_', ' ')}`
  }
}

/** Formats a value for a filter in a request to a table’s REST API. */
const filterValue = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

export function tableExamples(table: TableDetail, { rest, key }: Address): Example[] {
  const { schema, name } = table
  const client = schema === 'public' ? 'supabase' : `supabase.schema(${text(schema)})`
  const from = `${client}.from(${text(name)})`
  const at = `${rest}/${encodeURIComponent(name)}`
  const read = schema === 'public' ? [] : [`Accept-Profile: ${schema}`]
  const write = ['Content-Type: application/json', ...(schema === 'public' ? [] : [`Content-Profile: ${schema}`])]
  const curl = (address: string, headers: string[], rest: string[] = []) =>
    [`curl ${shell(address)}`, ...rest, ...[`apikey: ${key}`, ...headers].map((header) => `-H ${shell(header)}`)].join(
      ' \\\n  ',
    )
  const found = table.columns.find((column) => table.key.includes(column.name)) ?? table.columns[0]
  // Identity columns and generated columns are left out, because the database sets their values.
  const written = table.columns.filter((column) => column.identity === null && !column.generated)
  const required = written.filter((column) => !column.nullable && column.default === null)
  const free = written.filter((column) => !table.key.includes(column.name))
  const row = Object.fromEntries(
    (required.length > 0 ? required : free.slice(0, 2)).map((column) => [column.name, sample(column)]),
  )
  const changed = free[0]
  const change = changed ? { [changed.name]: sample(changed) } : row
  const by = found ? `.eq(${text(found.name)}, ${JSON.stringify(sample(found))})` : ''
  const query = found ? new URLSearchParams([[found.name, `eq.${filterValue(sample(found))}`]]).toString() : ''
  const reading: Example[] = [
    {
      title: 'Read rows',
      supabase: `const { data, error } = await ${from}.select('*').limit(10)`,
      curl: curl(`${at}?select=*&limit=10`, read),
    },
    {
      title: 'Read one row',
      supabase: `const { data, error } = await ${from}.select('*')${by}.maybeSingle()`,
      curl: curl(`${at}?select=*&${query}`, read),
    },
  ]
  // Realtime sends changes only of tables in this publication. For other tables, the example would receive no events.
  const isPublished = table.publications.some(({ name, sends }) => name === 'supabase_realtime' && sends)
  const embed = table.foreign_keys[0]
  if (embed)
    reading.push({
      title: `Read rows with their ${embed.table}`,
      supabase: `const { data, error } = await ${from}.select('*, ${embed.table}(*)').limit(10)`,
      curl: curl(`${at}?select=*,${encodeURIComponent(embed.table)}(*)&limit=10`, read),
    })
  if (table.kind !== 'table' && table.kind !== 'partitioned') return reading
  return [
    ...reading,
    {
      title: 'Add a row',
      supabase: `const { data, error } = await ${from}.insert(${JSON.stringify(row)}).select()`,
      curl: curl(at, [...write, 'Prefer: return=representation'], [`-d ${shell(JSON.stringify(row))}`]),
    },
    {
      title: 'Change rows',
      supabase: `const { data, error } = await ${from}.update(${JSON.stringify(change)})${by}.select()`,
      curl: curl(`${at}?${query}`, write, ['-X PATCH', `-d ${shell(JSON.stringify(change))}`]),
    },
    {
      title: 'Delete rows',
      supabase: `const { error } = await ${from}.delete()${by}`,
      curl: curl(`${at}?${query}`, schema === 'public' ? [] : [`Content-Profile: ${schema}`], ['-X DELETE']),
    },
    ...(isPublished
      ? [
          {
            title: 'Listen to changes',
            supabase: `supabase.channel('changes')\n  .on('postgres_changes', { event: '*', schema: ${text(schema)}, table: ${text(name)} }, (change) => console.log(change))\n  .subscribe()`,
            curl: '',
          },
        ]
      : []),
  ]
}

export function functionExamples(schema: string, called: SchemaFunction, { rest, key }: Address): Example[] {
  const values = Object.fromEntries(
    called.arguments.flatMap(({ name, type }) => (name === null || name === '' ? [] : [[name, `<${type}>`]])),
  )
  const client = schema === 'public' ? 'supabase' : `supabase.schema(${text(schema)})`
  const headers = [
    `apikey: ${key}`,
    'Content-Type: application/json',
    ...(schema === 'public' ? [] : [`Content-Profile: ${schema}`]),
  ]
  return [
    {
      title: 'Call it',
      supabase: `const { data, error } = await ${client}.rpc(${text(called.name)}${Object.keys(values).length > 0 ? `, ${JSON.stringify(values)}` : ''})`,
      curl: [
        `curl ${shell(`${rest}/rpc/${encodeURIComponent(called.name)}`)}`,
        `-d ${shell(JSON.stringify(values))}`,
        ...headers.map((header) => `-H ${shell(header)}`),
      ].join(' \\\n  '),
    },
  ]
}

const scripts: Partial<Record<TableDetail['columns'][number]['base'], string>> = {
  number: 'number',
  boolean: 'boolean',
  json: 'Json',
  array: 'unknown[]',
}

/** TypeScript type of a row. `cloch gen types typescript` generates the types of the whole project. */
export function rowType({ name, columns }: TableDetail): string {
  const property = (column: string) => (/^[A-Za-z_$][\w$]*$/.test(column) ? column : text(column))
  const type = (column: TableDetail['columns'][number]) =>
    column.base === 'enum' && column.values ? column.values.map(text).join(' | ') : (scripts[column.base] ?? 'string')
  const typeName = name
    .replace(/(^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, __, letter: string) => letter.toUpperCase())
    .replaceAll(/[^A-Za-z0-9]/g, '')
  const lines = columns.map((column) => `  ${property(column.name)}: ${type(column)}${column.nullable ? ' | null' : ''}`)
  return `interface ${/^[A-Za-z]/.test(typeName) ? typeName : `Table${typeName}`} {\n${lines.join('\n')}\n}`
}
