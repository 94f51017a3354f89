/** Converts a column's value to the text of a field. */
export function asText(value: string | null | undefined): string {
  return value ?? ''
}
