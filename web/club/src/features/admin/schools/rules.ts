import * as z from 'zod'
import { limits, optionalEmail, optionalText, requiredName } from '../shared/rules'

export const schoolSchema = z.object({
  name: requiredName('School name is required'),
  location: optionalText(limits.location),
  phone: optionalText(limits.phone),
  email: optionalEmail(),
  notes: optionalText(limits.notes),
})
export type SchoolValues = z.input<typeof schoolSchema>
export type SchoolInput = z.output<typeof schoolSchema>
