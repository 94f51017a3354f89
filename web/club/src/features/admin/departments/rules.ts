import * as z from 'zod'
import { limits, optionalText, requiredName } from '../shared/rules'

export const departmentSchema = z.object({
  school_id: z.string().min(1, 'Please select a school'),
  name: requiredName('Department name is required'),
  notes: optionalText(limits.notes),
})
export type DepartmentValues = z.input<typeof departmentSchema>
export type DepartmentInput = z.output<typeof departmentSchema>
