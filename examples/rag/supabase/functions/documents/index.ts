/** Adds a document: { title, text }. */
import { embed } from '../_shared/ai.ts'
import { serve, textOf } from '../_shared/http.ts'
import { split } from '../_shared/split.ts'

serve(async (supabase, body) => {
  const title = textOf(body, 'title', 200)
  const texts = split(textOf(body, 'text', 200_000))
  // All embeddings are created first, then everything is stored in one transaction. If the AI server fails, nothing is stored.
  const embeddings = await embed(texts)
  const passages = texts.map((text, index) => ({ body: text, embedding: embeddings[index] }))
  const { data, error } = await supabase.rpc('add_document', { title, passages })
  if (error) throw error
  return { document: data, passages: passages.length }
})
