import * as z from 'zod'
import { limits, optionalEmail, optionalText, requiredName } from '../shared/rules'
import { guestStatuses } from './status'

export const guestSchema = z.object({
  name: requiredName('Name is required'),
  email: optionalEmail(),
  phone: optionalText(limits.phone),
  organization: optionalText(limits.organization),
  status: z.enum(guestStatuses, { error: 'Status must be invited, accepted or declined' }),
  notes: optionalText(limits.notes),
})
export type GuestValues = z.input<typeof guestSchema>
export type GuestInput = z.output<typeof guestSchema>

/** Whether the guest has an e-mail address. */
export function canBeMailed<G extends { email: string | null }>(guest: G): guest is G & { email: string } {
  return guest.email?.includes('@') ?? false
}
