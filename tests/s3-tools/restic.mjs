/** restic (apt): backups in S3. It supports S3 only at the root of a host, so it reaches Cloch through a proxy with a separate host name. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { call, environment } from './command_line.mjs'

export const restic = {
  name: 'restic',
  program: 'restic',
  version: ['version'],
  operations: (server) => {
    const password = join(server.home, 'restic-password')
    writeFileSync(password, 'correct horse')
    const flags = ['-r', `s3:${server.rootUrl ?? server.url}/${server.bucket}`, '-p', password, '--no-cache']
    const cli = call('restic', environment(server))
    const command = (...parameters) => cli(...flags, ...parameters)
    return {
      'make a bucket': () => command('init'),
      'sync up': (folder) => command('backup', folder),
      // restic stores files with their absolute paths.
      'sync down': (folder, from) => command('restore', 'latest', '--target', folder, '--include', from),
      'sync again': async (folder) => !/Files:\s+0 new,\s+0 changed/.test(await command('backup', folder)),
      'delete all': async () => {
        await command('forget', '--keep-last', '1', '--prune')
        await command('check', '--read-data')
      },
    }
  },
}
