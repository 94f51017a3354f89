import * as z from 'zod'
import { invoke } from '@/lib/functions'
import { keepDevice, readDevice } from '../device'
import type { Pass } from '../pass'

const answerSchema = z.union([
  z.object({
    valid: z.literal(true),
    access_token: z.string(),
    device: z.string().optional(),
    expires_at: z.union([z.number(), z.iso.datetime({ offset: true })]),
  }),
  z.object({ valid: z.literal(false) }),
])

/** Sends the password to the server and returns the pass, or null if the password is wrong. @throws if the password could not be checked */
export async function validatePassword(password: string): Promise<Pass | null> {
  const answer = answerSchema.parse(await invoke('validate-judging-password', { password, device: readDevice() }))
  if (!answer.valid) return null
  const { access_token: token, expires_at: end, device } = answer
  if (device !== undefined) keepDevice(device)
  return { token, expiresAt: typeof end === 'number' ? end : Date.parse(end) / 1000 }
}
