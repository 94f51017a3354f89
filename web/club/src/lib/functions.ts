import { FunctionsHttpError } from '@supabase/supabase-js'
import { connect } from './supabase'

/**
 * Calls a function of the server and returns the body of its response.
 * @throws an error with the function's message, if its response has one ({"error": …} or {"message": …})
 */
export async function invoke(name: string, body: Record<string, unknown>): Promise<unknown> {
  const supabase = await connect()
  const answer = await supabase.functions.invoke<unknown>(name, { body })
  const failure: unknown = answer.error
  if (failure) throw await asError(failure)
  return answer.data
}

async function asError(failure: unknown): Promise<Error> {
  if (failure instanceof FunctionsHttpError && failure.context instanceof Response) {
    const said = (await failure.context.json().catch(() => undefined)) as unknown
    const words = text(said, 'error') ?? text(said, 'message')
    if (words !== undefined) return new Error(words)
  }
  return failure instanceof Error ? failure : new Error(String(failure))
}

function text(value: unknown, key: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const found = (value as Record<string, unknown>)[key]
  return typeof found === 'string' && found !== '' ? found : undefined
}
