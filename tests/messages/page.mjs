/** The fixed text and the tables of docs/operations/messages.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

const file = resolve(import.meta.dirname, '../../docs/operations/messages.md')

const intro = `# Messages

What the program prints for wrong settings, and for the tasks of a server's later years. Made by \`tests/client/messages.test.mjs\`, which runs each row with
the real program. Do not write in it: \`cd tests && CLOCH_WRITE_DOCS=1 node --test client/messages.test.mjs\` does, and the test fails if a message differs.

Capitals stand for what differs between machines: \`PROJECT\` and \`DATA\` are the project's folder and the data folder, \`TARGET\` is the backup's target, \`N\` a number.
\`⏎\` begins a new line. Exit code 0 means success; \`log\` means a line of the server's log, without its time.
`
const settingsIntro = `Each row is one mistake in a project without other settings, and the message of \`cloch start\`, which then changes nothing. \`cloch doctor\` finds most of them without a start.
Exit code 0 marks a warning: the server starts, and \`cloch doctor\` and the log show it.
`
const tasksIntro = `The first lines of the output. The pages of [operations](../operations.md) describe the tasks.
`

/** Formats a text as code in a table cell. Each line becomes separate code. */
const code = (text) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => (line.includes('`') ? `\`\` ${line} \`\`` : `\`${line}\``).replaceAll('|', '\\|'))
    .join(' ⏎ ')

const table = (header, rows) => [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

/** Returns the whole page with the rows of both tables. */
export function page(settings, tasks) {
  const wrong = settings.map(({ place, setting, output, status }) => [place, code(setting), code(output), status])
  const done = tasks.map(({ task, link, command, output, status }) => [link ? `[${task}](${link})` : task, code(command), code(output), status ?? 'log'])
  return [
    intro,
    `## Wrong settings\n\n${settingsIntro}\n${table(['where', 'setting', 'message', 'exit code'], wrong)}\n`,
    `## Tasks\n\n${tasksIntro}\n${table(['task', 'command', 'output', 'exit code'], done)}\n`,
  ].join('\n')
}

export const write = (text) => writeFileSync(file, text)
export const written = () => readFileSync(file, 'utf8')
