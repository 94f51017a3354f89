import { identifier } from '@/lib/sql-text'

/** Types as SQL writes them, without the schema that the page shows already. */
export const unqualified = (text: string, schema: string) => text.replaceAll(`${identifier(schema)}.`, '')
