import * as z from 'zod'
import { limits, optionalEmail, optionalText, requiredName } from '../shared/rules'
import { judgeCategories } from './categories'

export const judgeSchema = z.object({
  name: requiredName('Name is required'),
  categories: z.array(z.enum(judgeCategories)).min(1, 'Please select at least one category'),
  email: optionalEmail(),
  phone: optionalText(limits.phone),
  notes: optionalText(limits.notes),
})
export type JudgeValues = z.input<typeof judgeSchema>
export type JudgeInput = z.output<typeof judgeSchema>
