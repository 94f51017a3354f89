import * as z from 'zod'
import { invoke } from '@/lib/functions'
import type { Pass } from '../pass'

const answerSchema = z.union([
  z.object({ valid: z.literal(true), access_token: z.string(), expires_at: z.number() }),
  z.object({ valid: z.literal(false) }),
])

/** Exchanges the token of a judge's link for a pass; null if the link has ended. @throws if the server does not respond */
export async function openLink(token: string): Promise<Pass | null> {
  const answer = answerSchema.parse(await invoke('open-judge-link', { token }))
  return answer.valid ? { token: answer.access_token, expiresAt: answer.expires_at, isOwn: true } : null
}
