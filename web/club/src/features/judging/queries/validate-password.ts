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

/** The pass for a password; null if it is the wrong one. @throws when it could not be checked */
export async function validatePassword(password: string): Promise<Pass | null> {
  const answer = answerSchema.parse(await invoke('validate-judging-password', { password, device: readDevice() }))
  if (!answer.valid) return null
  const { access_token: token, expires_at: end, device } = answer
  if (device !== undefined) keepDevice(device)
  return { token, expiresAt: typeof end === 'number' ? end : Date.parse(end) / 1000 }
}
