/** A column as a text field holds it. */
export function asText(value: string | null | undefined): string {
  return value ?? ''
}
