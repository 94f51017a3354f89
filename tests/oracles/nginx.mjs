/** An nginx that serves a folder of files. It is a second implementation of HTTP for files. */
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { freePort } from '../support/ports.mjs'
import { sleep } from '../support/program.mjs'

const program = process.env.CLOCH_TEST_NGINX ?? 'nginx'

/** The reason why nginx cannot be used, or false if it can. */
export const noNginx = (() => {
  try {
    execFileSync(program, ['-v'], { stdio: 'ignore' })
    return false
  } catch {
    return 'nginx is not installed (apt-get install nginx-light), so there is nothing to compare with'
  }
})()

/** Starts nginx with the given files. */
export async function startNginx(files) {
  const folder = mkdtempSync(join(tmpdir(), 'cloch-nginx-'))
  chmodSync(folder, 0o755)
  mkdirSync(join(folder, 'files'))
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, 'files', name), bytes)
  const port = await freePort()
  // By default, nginx compares the date in If-Modified-Since for equality.
  writeFileSync(join(folder, 'nginx.conf'), `
    pid ${folder}/pid; error_log ${folder}/error.log; daemon off; worker_processes 1;
    events {}
    http {
      access_log off; if_modified_since before; keepalive_requests 100000;
      ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
      server { listen 127.0.0.1:${port}; root ${folder}/files; }
    }`)
  const child = spawn(program, ['-c', join(folder, 'nginx.conf'), '-p', folder, '-e', join(folder, 'error.log')], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  for (let attempt = 0; ; attempt++) {
    if (child.exitCode !== null || attempt > 400) throw new Error(`nginx does not start (${child.exitCode})`)
    if (await fetch(url).then(() => true, () => false)) break
    await sleep(25)
  }
  return {
    url,
    stop: async () => {
      const ended = new Promise((done) => child.once('exit', done))
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
