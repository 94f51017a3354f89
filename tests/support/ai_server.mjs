/**
 * A small server with the OpenAI protocol. It computes embeddings from words. To answer a chat, it compares the sentences of the last message with
 * the last line of this message, and returns the sentence that has the most words in common with this line. A model that only quotes would answer
 * like this.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'

import { vectorOf, wordsOf } from './word_vectors.mjs'

/**
 * Starts the server.
 * @param {{ key: string, dimensions: number, embeddingModel: string, chatModel: string }} options
 */
export async function startAiServer({ key, dimensions, embeddingModel, chatModel }) {
  const ai = {
    /** The requests that the server has received: the path and the JSON body of each one. */
    asked: [],
    /** If set, this function is called with each request as `(path, response, question)`. If it returns true, it has sent the response itself. */
    failure: undefined,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
  const server = createServer(async (request, response) => {
    const send = (status, value) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    const refuse = (status, message) => send(status, { error: { message, type: 'invalid_request_error', param: null, code: null } })
    let text = ''
    for await (const part of request) text += part
    const question = JSON.parse(text)
    ai.asked.push({ path: request.url, ...question })
    if (ai.failure?.(request.url, response, question)) return
    const given = request.headers.authorization?.replace('Bearer ', '')
    // As in OpenAI's own error, the message contains a part of the API key.
    if (given !== key) return refuse(401, `Incorrect API key provided: ${given?.slice(0, 12)}***.`)
    if (request.method !== 'POST') return refuse(405, 'Only POST')
    if (request.url === '/v1/embeddings' && question.model === embeddingModel) return send(200, embeddings(question, dimensions))
    if (request.url === '/v1/chat/completions' && question.model === chatModel) return send(200, completion(question))
    refuse(404, `The model ${question.model} or the path ${request.url} does not exist`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  ai.url = `http://127.0.0.1:${server.address().port}/v1`
  return ai
}

function embeddings({ model, input }, dimensions) {
  const data = [input].flat().map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text, dimensions) }))
  return { object: 'list', model, data, usage: { prompt_tokens: 0, total_tokens: 0 } }
}

function completion({ model, messages }) {
  const lines = messages.at(-1).content.trim().split('\n')
  const question = new Set(wordsOf(lines.pop()))
  const shared = (sentence) => new Set(wordsOf(sentence).filter((word) => question.has(word))).size
  const sentences = lines.join(' ').split(/(?<=[.!?])\s+/)
  const content = sentences.reduce((best, sentence) => (shared(sentence) > shared(best) ? sentence : best))
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }]
  return { id: 'chatcmpl-1', object: 'chat.completion', created: Math.floor(Date.now() / 1000), model, choices, usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } }
}
