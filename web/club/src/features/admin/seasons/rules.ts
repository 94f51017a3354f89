import * as z from 'zod'
import { optionalText } from '../shared/rules'

const nameMax = 50

/** An optional date. An empty field is stored as null. */
const optionalDay = z
  .string()
  .trim()
  .refine((text) => text === '' || z.iso.date().safeParse(text).success, 'Please give a date')
  .transform((text) => (text === '' ? null : text))

export const seasonSchema = z
  .object({
    name: z.string().trim().min(1, 'Season name is required').max(nameMax, `At most ${nameMax} characters`),
    opens_on: optionalDay,
    deadline_on: optionalDay,
    event_on: z.iso.date({ error: 'Please give the date of the event' }),
    event_time: optionalText(nameMax),
    ages_on: optionalDay,
  })
  .superRefine(({ opens_on, deadline_on, event_on }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    if (opens_on !== null && deadline_on !== null && deadline_on < opens_on) {
      refuse('deadline_on', 'The last day is before the first day')
    }
    if (event_on < (deadline_on ?? opens_on ?? event_on)) refuse('event_on', 'The event is before entries have closed')
  })
export type SeasonValues = z.input<typeof seasonSchema>
export type SeasonInput = z.output<typeof seasonSchema>
