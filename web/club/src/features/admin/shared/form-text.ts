/** A column's value as the text of a field. */
export function asText(value: string | null | undefined): string {
  return value ?? ''
}
