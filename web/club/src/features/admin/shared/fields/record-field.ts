/** One column of a record as a form shows it. */
export interface RecordField {
  /** The column. */
  name: string
  label: string
  hint?: string
  /** `id` is another record's: its control is the form's own affair. */
  kind: 'text' | 'long' | 'email' | 'number' | 'date' | 'choice' | 'yes-no' | 'id'
  /** Characters at most; the largest number. */
  max: number
  min?: number
  options?: readonly string[]
  isRequired?: boolean
}
