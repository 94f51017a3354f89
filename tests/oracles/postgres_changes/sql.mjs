/** A session of PostgreSQL: one psql process that runs statements one after another. */
import { spawn } from 'node:child_process'

/** Returns a text as an SQL literal, and null as NULL. */
export const literal = (text) => (text === null ? 'null' : `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`)
export const name = (text) => `"${text.replaceAll('"', '""')}"`

const MARK = '--- end of the answer ---'

export class Session {
  #psql
  #waiting = []
  #text = ''
  #faults = ''

  constructor(url) {
    this.#psql = spawn('psql', [url, '-XqAt'], { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, PGCLIENTENCODING: 'UTF8' } })
    this.#psql.stdout.setEncoding('utf8')
    this.#psql.stderr.setEncoding('utf8')
    this.#psql.stderr.on('data', (text) => (this.#faults += text))
    this.#psql.stdout.on('data', (text) => {
      this.#text += text
      for (let at = this.#text.indexOf(`${MARK}\n`); at >= 0; at = this.#text.indexOf(`${MARK}\n`)) {
        this.#waiting.shift()?.resolve(this.#text.slice(0, at).trimEnd())
        this.#text = this.#text.slice(at + MARK.length + 1)
      }
    })
    this.#psql.on('exit', () => this.#waiting.forEach(({ reject }) => reject(new Error(`psql has ended: ${this.#faults}`))))
  }

  /** Runs statements and returns their output. Errors of the statements are collected (see `faults`). */
  run(statements) {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#psql.stdin.write(`${statements.trim().replace(/;?$/, ';')}\n\\echo '${MARK}'\n`)
    })
  }

  /** Runs statements. Fails if one of them fails. */
  async must(statements) {
    this.#faults = ''
    const answer = await this.run(statements)
    if (this.#faults) throw new Error(`${this.#faults}\n${statements.slice(0, 2_000)}`)
    return answer
  }

  /** Runs statements, and parses each line of the output as JSON. */
  async json(statements) {
    return (await this.must(statements)).split('\n').filter(Boolean).map((line) => JSON.parse(line))
  }

  /** Returns the errors since the last call. */
  faults() {
    const faults = this.#faults
    this.#faults = ''
    return faults
  }

  end() {
    this.#psql.stdin.end()
  }
}
