import * as z from 'zod'
import { awards } from '../shared/award'
import { limits, optionalText } from '../shared/rules'

export const missing = 'Please fill in all required fields'
const notACount = 'Count must be a positive number'
const maxCount = 999_999

export const offlineSchema = z.object({
  school_id: z.string().min(1, missing),
  category: z.enum(awards, { error: missing }),
  count: z
    .string()
    .trim()
    .min(1, missing)
    .regex(/^\d+$/, notACount)
    .transform(Number)
    .refine((count) => count <= maxCount, `Count must be at most ${maxCount}`),
  notes: optionalText(limits.notes),
})
export type OfflineInput = z.output<typeof offlineSchema>

export interface OfflineValues {
  school_id: string
  category: string
  count: string
  notes: string
}
