/** A project's functions use `Supabase.ai`. A server with the OpenAI protocol responds. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'

import { deno } from '../support/deno.mjs'
import { startProject } from '../support/program.mjs'

const asked = []
/** Responds as servers of this protocol do. The content of the response is the request. */
const server = createServer(async (request, response) => {
  let text = ''
  for await (const part of request) text += part
  const question = JSON.parse(text)
  asked.push({ path: request.url, authorization: request.headers.authorization, ...question })
  const send = (status, value) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  if (request.url === '/v1/embeddings') {
    const inputs = [question.input].flat()
    return send(200, { data: inputs.map((input, index) => ({ index, embedding: [3, 4, input.length === 0 ? 1 : 0] })) })
  }
  if (question.model === 'unknown') return send(404, { error: { message: 'no such model' } })
  const words = ['You', ' said: ', question.messages.at(-1).content]
  if (!question.stream) return send(200, { choices: [{ message: { role: 'assistant', content: words.join('') } }] })
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const content of words) response.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\r\n\r\n`)
  response.end(`data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`)
})

const functions = {
  embed: `Deno.serve(async (request) => {
    const { input, options } = await request.json();
    return Response.json(await new Supabase.ai.Session("gte-small").run(input, options));
  });`,
  chat: `Deno.serve(async (request) => {
    const { model, input, options } = await request.json();
    try {
      const output = await new Supabase.ai.Session(model).run(input, options);
      return Response.json(options?.stream ? await Array.fromAsync(output) : output);
    } catch (error) { return new Response(error.message, { status: 500 }); }
  });`,
  // Only Supabase.ai can reach this server. The function itself can reach none of the server's URLs, and cannot read the server's key.
  probe: `Deno.serve(async () => Response.json({
    environment: JSON.stringify(Deno.env.toObject()),
    direct: await fetch("http://127.0.0.1:PORT/v1/embeddings").then(() => "allowed", (error) => error.name),
  }));`,
}

let cloch
before(async () => {
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address()
  const files = Object.fromEntries(Object.entries(functions).map(([name, code]) => [`functions/${name}/index.ts`, code.replace('PORT', port)]))
  files['cloch.toml'] = `[ai]\nbase_url = "http://127.0.0.1:${port}/v1/"\napi_key = "key-of-the-models"\nembedding_model = "text-embedding"\n`
  cloch = await startProject({ from: null, files, environment: { CLOCH_DENO: deno } })
})
after(async () => {
  await cloch?.remove()
  server.close()
})

const call = async (name, body) => {
  const headers = { authorization: `Bearer ${cloch.anonKey}` }
  const answer = await fetch(`${cloch.url}/functions/v1/${name}`, { method: 'POST', headers, body: JSON.stringify(body ?? {}) })
  const text = await answer.text()
  return { status: answer.status, text, json: () => JSON.parse(text) }
}

test('a function can access neither the key nor the server itself', async () => {
  const found = (await call('probe')).json()
  assert.doesNotMatch(found.environment, /key-of-the-models/)
  assert.equal(found.direct, 'NotCapable')
})

test('gte-small creates embeddings, normalized on request', async () => {
  assert.deepEqual((await call('embed', { input: 'a text' })).json(), [3, 4, 0])
  assert.deepEqual((await call('embed', { input: 'a text', options: { mean_pool: true, normalize: true } })).json(), [0.6, 0.8, 0])
  assert.deepEqual((await call('embed', { input: ['one', 'two'] })).json(), [[3, 4, 0], [3, 4, 0]])
  const { path, authorization, model, input } = asked.at(-1)
  assert.deepEqual({ path, authorization, model, input }, { path: '/v1/embeddings', authorization: 'Bearer key-of-the-models', model: 'text-embedding', input: ['one', 'two'] })
})

test('a prompt is answered completely or in chunks, in Ollama’s format', async () => {
  assert.equal((await call('chat', { model: 'mistral', input: 'hello' })).json().response, 'You said: hello')
  const pieces = (await call('chat', { model: 'mistral', input: 'hello', options: { stream: true } })).json()
  assert.deepEqual(pieces.map((piece) => piece.response), ['You', ' said: ', 'hello', ''])
  assert.deepEqual(pieces.map((piece) => piece.done), [false, false, false, true])
  assert.equal(asked.at(-1).model, 'mistral')
})

test('messages are forwarded to the server unchanged, and its responses are returned unchanged', async () => {
  const input = { messages: [{ role: 'system', content: 'Be short' }, { role: 'user', content: 'hi' }], temperature: 0 }
  const options = { mode: 'openaicompatible' }
  assert.equal((await call('chat', { model: 'm', input, options })).json().choices[0].message.content, 'You said: hi')
  assert.equal(asked.at(-1).temperature, 0)
  const pieces = (await call('chat', { model: 'm', input, options: { ...options, stream: true } })).json()
  assert.equal(pieces.map((piece) => piece.choices[0].delta.content ?? '').join(''), 'You said: hi')
})

test('a refusal by the server is an error with the server’s text', async () => {
  const refused = await call('chat', { model: 'unknown', input: 'hello' })
  assert.equal(refused.status, 500)
  assert.match(refused.text, /answered 404: .*no such model/)
})
