/** Code that reads the same rows as a view of a table. */
import { identifier, literal, qualified } from '@/lib/sql-text'
import { listed, type Filter, type View } from './model'

const comparisons = { eq: '=', neq: '<>', gt: '>', gte: '>=', lt: '<', lte: '<=', like: 'like', ilike: 'ilike', contains: '@>' }

export function asSql(schema: string, table: string, { filters, sort }: View): string {
  const conditions = filters.map(({ column, op, value }) => {
    const name = identifier(column)
    if (op === 'is' || op === 'not_is') return `${name} is ${op === 'is' ? '' : 'not '}${value || 'null'}`
    if (op === 'in') return `${name} in (${listed(value).map(literal).join(', ')})`
    return `${name} ${comparisons[op]} ${literal(value)}`
  })
  const order = sort.map(({ column, descending }) => `${identifier(column)}${descending ? ' desc' : ''}`)
  return [
    `select * from ${qualified(schema, table)}`,
    conditions.length > 0 && ` where ${conditions.join('\n   and ')}`,
    order.length > 0 && ` order by ${order.join(', ')}`,
    ' limit 100;',
  ]
    .filter((line) => line !== false)
    .join('\n')
}

export function asSupabase(schema: string, table: string, { filters, sort }: View): string {
  const text = (value: string) => JSON.stringify(value)
  const calls = filters.map(({ column, op, value }) => {
    const name = text(column)
    if (op === 'is') return `.is(${name}, ${value || 'null'})`
    if (op === 'not_is') return `.not(${name}, 'is', ${value || 'null'})`
    if (op === 'in') return `.in(${name}, ${JSON.stringify(listed(value))})`
    return `.${op}(${name}, ${text(value)})`
  })
  const order = sort.map(({ column, descending }) => `.order(${text(column)}, { ascending: ${!descending} })`)
  const from = schema === 'public' ? 'supabase' : `supabase\n  .schema(${text(schema)})`
  const lines = [`.from(${text(table)})`, `.select('*')`, ...calls, ...order, '.limit(100)']
  return `const { data, error } = await ${from}\n  ${lines.join('\n  ')}`
}

/** Formats a value for the REST API. A value is quoted if it contains a character that would end it, such as a comma or bracket. */
const restText = (value: string) => (/[,()"\\:]/.test(value) ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : value)

function restValue({ op, value }: Filter): string {
  if (op === 'in') return `in.(${listed(value).map(restText).join(',')})`
  if (op === 'is' || op === 'not_is') return `${op === 'is' ? '' : 'not.'}is.${value || 'null'}`
  if (op === 'contains') return `cs.${value}`
  return `${op}.${op === 'like' || op === 'ilike' ? value.replaceAll('%', '*') : value}`
}

/** Quotes a text for a shell. In single quotation marks, the shell expands nothing. */
const shell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

export function asCurl(restUrl: string, key: string, schema: string, table: string, { filters, sort }: View): string {
  const query = new URLSearchParams([['select', '*'], ...filters.map((filter) => [filter.column, restValue(filter)])])
  if (sort.length > 0)
    query.append('order', sort.map(({ column, descending }) => `${column}.${descending ? 'desc' : 'asc'}`).join(','))
  query.append('limit', '100')
  const headers = [`apikey: ${key}`, ...(schema === 'public' ? [] : [`Accept-Profile: ${schema}`])]
  return [
    `curl ${shell(`${restUrl}/${encodeURIComponent(table)}?${query}`)}`,
    ...headers.map((header) => `  -H ${shell(header)}`),
  ].join(' \\\n')
}
