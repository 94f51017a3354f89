import { useMutation } from '@tanstack/react-query'
import * as z from 'zod'
import { invoke } from '@/lib/functions'
import type { Pass } from '../pass'

const answerSchema = z.union([
  z.object({
    valid: z.literal(true),
    access_token: z.string(),
    expires_at: z.union([z.number(), z.iso.datetime({ offset: true })]),
  }),
  z.object({ valid: z.literal(false) }),
])

/** The pass for a password; null if it is the wrong one. @throws when it could not be checked */
async function validatePassword(password: string): Promise<Pass | null> {
  const answer = answerSchema.parse(await invoke('validate-judging-password', { password }))
  if (!answer.valid) return null
  const { access_token: token, expires_at: end } = answer
  return { token, expiresAt: typeof end === 'number' ? end : Date.parse(end) / 1000 }
}

export function useValidatePassword() {
  return useMutation({ mutationFn: validatePassword })
}
