/** The account that servers of tests run as which refuse root. */
import { readFileSync } from 'node:fs'

const accountOf = (name) => readFileSync('/etc/passwd', 'utf8').split('\n').map((line) => line.split(':')).find(([user]) => user === name)
const account = accountOf('postgres') ?? accountOf('nobody')

/** Options of `spawn` for it; none where this is not root. */
export const unprivileged = process.getuid() === 0 ? { uid: Number(account[2]), gid: Number(account[3]) } : {}
