/** The trigger of a database webhook as SQL. This module has no side effects. */
import type { SqlChange } from '@/components/ReviewSql'
import type { Trigger } from '@/lib/catalog'
import { createTrigger, type TriggerDraft } from './trigger-sql'

export const webhookEvents = ['insert', 'update', 'delete'] as const

export interface WebhookDraft {
  name: string
  table: string
  events: readonly (typeof webhookEvents)[number][]
  method: 'POST' | 'GET'
  url: string
  /** The headers: a JSON object whose values are texts. */
  headers: string
  /** Timeout in milliseconds. */
  timeout: string
}

export const emptyWebhook: WebhookDraft = {
  name: '',
  table: '',
  events: ['insert'],
  method: 'POST',
  url: '',
  headers: '{"Content-Type": "application/json"}',
  timeout: '5000',
}

/** The webhooks of hosted Supabase call this function too. */
const functionName: TriggerDraft['function'] = ['supabase_functions', 'http_request']

export const isWebhook = (trigger: Pick<Trigger, 'function_schema' | 'function'>) =>
  trigger.function_schema === functionName[0] && trigger.function === functionName[1]

export const isUrl = (text: string) => /^https?:\/\//i.test(text.trim()) && URL.canParse(text.trim())

export function areHeaders(text: string): boolean {
  try {
    const headers: unknown = JSON.parse(text)
    return (
      typeof headers === 'object' &&
      headers !== null &&
      !Array.isArray(headers) &&
      Object.values(headers).every((value) => typeof value === 'string')
    )
  } catch {
    return false
  }
}

export const isTimeout = (text: string) => /^[1-9]\d{0,5}$/.test(text.trim())

export const isWhole = ({ name, table, events, url, headers, timeout }: WebhookDraft) =>
  name.trim() !== '' && table !== '' && events.length > 0 && isUrl(url) && areHeaders(headers) && isTimeout(timeout)

export function createWebhook(schema: string, { url, method, headers, timeout, ...draft }: WebhookDraft): SqlChange {
  const args = [url.trim(), method, headers.trim(), '{}', timeout.trim()]
  const trigger = createTrigger(schema, {
    ...draft,
    timing: 'after',
    eachRow: true,
    function: functionName,
    args,
    condition: '',
  })
  return { ...trigger, title: `New webhook of ${draft.table}`, done: `Webhook ${draft.name.trim()} is created` }
}
