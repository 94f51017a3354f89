/** One column of a record as a form shows it. */
export interface RecordField {
  /** The column. */
  name: string
  label: string
  hint?: string
  /** `id` is a reference to another record: the form provides its control. */
  kind: 'text' | 'long' | 'email' | 'number' | 'date' | 'choice' | 'yes-no' | 'id'
  /** Maximum length; for numbers the maximum value. */
  max: number
  min?: number
  options?: readonly string[]
  isRequired?: boolean
}
