import { createClient } from 'npm:@supabase/supabase-js@2'

// A browser sends OPTIONS before a request to another origin, and reads these headers.
const cors = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': 'authorization, x-client-info, apikey, content-type',
}

Deno.serve(async (request) => {
  if (request.method === 'OPTIONS') return new Response('ok', { headers: cors })
  const supabase = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_ANON_KEY')!, {
    global: { headers: { Authorization: request.headers.get('Authorization') ?? '' } },
  })
  const { data, error } = await supabase.from('notes').select('body, created_at').order('id')
  if (error) return Response.json({ error: error.message }, { status: 400, headers: cors })
  const notes = data.map((note) => `## ${note.created_at.slice(0, 10)}\n\n${note.body}\n`)
  return Response.json({ markdown: ['# My notes\n', ...notes].join('\n') }, { headers: cors })
})
