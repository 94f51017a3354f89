/** Literals and names for SQL. The operator reviews the SQL before it runs. */

/** An SQL literal. Backslashes need no escape, because the server uses standard_conforming_strings. */
export const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

/** An SQL identifier. It is in quotation marks, unless it is a plain name and not a reserved word. */
export function identifier(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) && !reserved.has(name) ? name : `"${name.replaceAll('"', '""')}"`
}

export const qualified = (schema: string, name: string) => `${identifier(schema)}.${identifier(name)}`

/** Removes the prefix `schema.` from all names in a text. Used on pages that already display the schema elsewhere. */
export function unqualified(text: string, schema: string): string {
  const name = identifier(schema).replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  return text.replaceAll(new RegExp(String.raw`(?<![\w$".])${name}\.`, 'g'), '')
}

/** A dollar-quoted text for the body of a function. The tag does not occur in the text. */
export function dollarQuoted(text: string): string {
  let tag = '$function$'
  for (let number = 1; text.includes(tag); number += 1) tag = `$function${number}$`
  return `${tag}\n${text.trim()}\n${tag}`
}

/** Name of a migration file, without time and extension. It has at most 60 characters. */
export const migrationName = (...parts: string[]) =>
  parts
    .join('_')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replace(/^_+/, '')
    .slice(0, 60)

/** PostgreSQL's reserved words (appendix C of its manual). They can be used as names only in quotation marks. */
const reserved = new Set(
  `all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation column concurrently
constraint create cross current_catalog current_date current_role current_schema current_time current_timestamp current_user default
deferrable desc distinct do else end except false fetch for foreign freeze from full grant group having ilike in initially inner
intersect into is isnull join lateral leading left like limit localtime localtimestamp natural not notnull null offset on only or order
outer overlaps placing primary references returning right select session_user similar some symmetric system_user table tablesample then
to trailing true union unique user using variadic verbose when where window with`.split(/\s+/),
)
