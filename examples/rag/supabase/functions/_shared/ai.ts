import { Refusal } from './http.ts'

declare const Supabase: { ai: { Session: new (model: string) => { run(input: unknown, options?: object): Promise<any> } } }

/** Number of dimensions of the embeddings. It must be the same as in the table of passages. */
const DIMENSIONS = 384
/** Number of texts in one request. */
const BATCH = 64
const TIMEOUT_SECONDS = 60

/** Returns the embedding of each text. The model is the one in the section [ai] of cloch.toml; the name given here is ignored. */
export async function embed(texts: string[]) {
  const session = new Supabase.ai.Session('gte-small')
  const vectors: number[][] = []
  for (let begin = 0; begin < texts.length; begin += BATCH) {
    vectors.push(...(await ask(session, texts.slice(begin, begin + BATCH), {})))
  }
  const wrong = vectors.find((vector) => vector.length !== DIMENSIONS)
  if (wrong) throw failure(`the embeddings have ${wrong.length} dimensions, and the table has ${DIMENSIONS}`)
  if (vectors.length !== texts.length) throw failure(`${vectors.length} embeddings of ${texts.length} texts`)
  return vectors
}

/** The chat model's answer. */
export async function complete(messages: { role: 'system' | 'user'; content: string }[]) {
  const session = new Supabase.ai.Session(Deno.env.get('CHAT_MODEL') ?? 'llama3.2')
  const { choices } = await ask(session, { messages, temperature: 0 }, { mode: 'openaicompatible' })
  const text = choices?.[0]?.message?.content
  if (typeof text !== 'string' || !text.trim()) throw failure('the answer has no text')
  return text.trim()
}

async function ask(session: InstanceType<typeof Supabase.ai.Session>, input: unknown, options: object) {
  try {
    return await session.run(input, { ...options, timeout: TIMEOUT_SECONDS })
  } catch (error) {
    throw failure(error)
  }
}

/**
 * Returns the error for the caller. It does not contain the reason, because the message of an AI server can contain a part of its key. The reason is
 * only logged.
 */
function failure(reason: unknown) {
  console.error('the AI server failed:', reason)
  return new Refusal(502, 'the AI server failed, and nothing was stored. The log of the function shows the reason')
}
