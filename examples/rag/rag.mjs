/** Answers questions from your own documents. Usage: node rag.mjs EMAIL PASSWORD, followed by: add FILE..., or ask QUESTION, or remove TITLE. */
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { createClient } from '@supabase/supabase-js'

const url = process.env.SUPABASE_URL ?? 'http://127.0.0.1:54321'
const [email, password, command, ...words] = process.argv.slice(2)
if (words.length === 0 || !['add', 'ask', 'remove'].includes(command)) {
  console.error('usage: node rag.mjs EMAIL PASSWORD add FILE... | ask QUESTION | remove TITLE')
  process.exit(2)
}
const { anonKey } = await (await fetch(`${url}/_/config.json`)).json()
const supabase = createClient(url, anonKey)

function fail(message) {
  console.error(`failed: ${message}`)
  process.exit(1)
}
/** Returns the data of a response. Ends the program if the response is an error. */
async function data({ data: found, error }) {
  if (!error) return found
  // If the error comes from a function, it contains the function's response.
  const answer = await error.context?.json?.().catch(() => undefined)
  return fail(answer?.error ?? error.message)
}

const known = await supabase.auth.signInWithPassword({ email, password })
// The server does not reveal whether an account exists. If it exists and the password is wrong, the sign-up fails.
if (known.error?.code === 'invalid_credentials') await data(await supabase.auth.signUp({ email, password }))
else await data(known)

if (command === 'add') {
  for (const file of words) {
    const title = basename(file)
    const text = await readFile(file, 'utf8').catch(({ message }) => fail(message))
    const { passages } = await data(await supabase.functions.invoke('documents', { body: { title, text } }))
    console.log(`${title}: ${passages} passages`)
  }
} else if (command === 'ask') {
  const { answer, sources } = await data(await supabase.functions.invoke('ask', { body: { question: words.join(' ') } }))
  console.log(`${answer}\n`)
  sources.forEach(({ title, similarity }, index) => console.log(`[${index + 1}] ${title}, similarity ${similarity.toFixed(2)}`))
} else {
  const removed = await data(await supabase.from('documents').delete().eq('title', words.join(' ')).select('title'))
  console.log(`${removed.length} removed`)
}
