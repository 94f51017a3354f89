// Values about a process, read from /proc.

import { readFileSync } from 'node:fs'

/** Returns a value of /proc/PID/status in MB: `VmRSS` (resident memory), `RssAnon` (without mapped files) or `VmHWM` (peak). */
export const megabytes = (pid, name = 'VmRSS') => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024

export const median = (list) => list.toSorted((a, b) => a - b)[Math.floor((list.length - 1) / 2)]
export const quantile = (list, share) => list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))]
