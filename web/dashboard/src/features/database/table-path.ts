/** URL path of a table's page, or of its structure. */
export const tablePath = (schema: string, table: string, part?: 'structure') =>
  `/tables/${encodeURIComponent(schema)}/${encodeURIComponent(table)}${part === undefined ? '' : `?show=${part}`}`
