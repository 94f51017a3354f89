import * as z from 'zod'
import { limits, optionalEmail, optionalText, requiredName } from '../shared/rules'
import { contactStatuses } from './status'

export const contactSchema = z.object({
  departments: z.array(z.string()).min(1, 'Please select at least one department'),
  name: requiredName('Contact name is required'),
  email: optionalEmail(),
  phone: optionalText(limits.phone),
  position: optionalText(limits.position),
  status: z.enum(contactStatuses, { error: 'Please choose a status' }),
  notes: optionalText(limits.notes),
})
export type ContactValues = z.input<typeof contactSchema>
export type ContactInput = z.output<typeof contactSchema>
