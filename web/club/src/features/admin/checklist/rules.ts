import * as z from 'zod'
import { limits, optionalText, requiredName } from '../shared/rules'

const categoryMax = 100

export const itemSchema = z.object({
  item_name: requiredName('Item name is required'),
  category: optionalText(categoryMax),
  due_date: z
    .string()
    .trim()
    .refine((text) => text === '' || z.iso.date().safeParse(text).success, 'Invalid date')
    .transform((text) => (text === '' ? null : text)),
  notes: optionalText(limits.notes),
})
export type ItemValues = z.input<typeof itemSchema>
export type ItemInput = z.output<typeof itemSchema>
