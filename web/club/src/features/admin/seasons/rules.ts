import * as z from 'zod'

const nameMax = 50

export const seasonSchema = z.object({
  name: z.string().trim().min(1, 'Season name is required').max(nameMax, `At most ${nameMax} characters`),
  event_on: z.iso.date({ error: 'Please give the date of the event' }),
})
export type SeasonValues = z.input<typeof seasonSchema>
export type SeasonInput = z.output<typeof seasonSchema>
