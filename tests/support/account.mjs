/** The account for servers that refuse to run as root. */
import { readFileSync } from 'node:fs'

const accountOf = (name) => readFileSync('/etc/passwd', 'utf8').split('\n').map((line) => line.split(':')).find(([user]) => user === name)
const account = accountOf('postgres') ?? accountOf('nobody')

/** Options of `spawn` that select this account. They are empty if root does not run the tests. */
export const unprivileged = process.getuid() === 0 ? { uid: Number(account[2]), gid: Number(account[3]) } : {}
