/** One column of a record, and how a form shows it. */
export interface RecordField {
  /** The column. */
  name: string
  label: string
  hint?: string
  /** `id`: a reference to another record, for which the form has its own control. */
  kind: 'text' | 'long' | 'email' | 'number' | 'date' | 'choice' | 'yes-no' | 'id'
  /** Maximum length of a text, or maximum value of a number. */
  max: number
  min?: number
  options?: readonly string[]
  isRequired?: boolean
}
