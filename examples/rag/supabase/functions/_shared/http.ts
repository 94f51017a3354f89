import { createClient } from 'npm:@supabase/supabase-js@2'

const cors = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': 'authorization, x-client-info, apikey, content-type',
}

/** An error whose text the response contains. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}

const answer = (body: unknown, status = 200) => Response.json(body, { status, headers: cors })

/** Serves a function for signed-in users. `work` receives a client with the caller's rights, and the JSON of the request. */
export function serve(work: (supabase: ReturnType<typeof clientOf>, body: Record<string, unknown>) => Promise<unknown>) {
  Deno.serve(async (request) => {
    if (request.method === 'OPTIONS') return new Response('ok', { headers: cors })
    try {
      const supabase = clientOf(request)
      // The user is checked first, because each call of the AI server costs money.
      const { data } = await supabase.auth.getUser(request.headers.get('Authorization')?.replace('Bearer ', '') ?? '')
      if (!data.user) throw new Refusal(401, 'sign in first')
      return answer(await work(supabase, (await request.json().catch(() => ({}))) ?? {}))
    } catch (error) {
      if (error instanceof Refusal) return answer({ error: error.message }, error.status)
      console.error(error)
      return answer({ error: 'the function failed' }, 500)
    }
  })
}

const clientOf = (request: Request) =>
  createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_ANON_KEY')!, {
    global: { headers: { Authorization: request.headers.get('Authorization') ?? '' } },
    auth: { persistSession: false },
  })

/** Returns a text field of the request. */
export function textOf(body: Record<string, unknown>, field: string, longest: number) {
  const text = body[field]
  if (typeof text !== 'string' || !text.trim() || text.length > longest) {
    throw new Refusal(400, `${field} must be a text of 1 to ${longest} characters`)
  }
  return text.trim()
}
