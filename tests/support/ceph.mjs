/**
 * Ceph's S3 gateway, an S3 server that is used in production. Its cluster has one monitor and one store in memory (Debian: ceph-mon, ceph-osd,
 * radosgw).
 */
import { execFile, execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

import { freePort } from './ports.mjs'

const run = promisify(execFile)
const START_MS = 90_000

/** Returns whether all needed programs are installed. */
export function hasCeph() {
  return ['ceph-mon', 'ceph-osd', 'radosgw', 'radosgw-admin', 'ceph', 'monmaptool'].every((program) => {
    try {
      execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  })
}

// As in Cloch, small parts are allowed, because the random parts that boto3 sends are small.
const configuration = (folder, fsid, monitor, gateway) => `
[global]
fsid = ${fsid}
mon_host = v1:127.0.0.1:${monitor}
public_addr = 127.0.0.1
ms_bind_msgr2 = false
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
keyring = ${folder}/keyring
run_dir = ${folder}
admin_socket = ${folder}/$name.sock
log_file = ${folder}/$name.log
crash_dir = ${folder}/crash
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pgp_num = 1
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_data_avail_crit = 1
mon_data_avail_warn = 1
osd_scrub_begin_hour = 3
osd_scrub_end_hour = 4
[mon.a]
mon_data = ${folder}/mon
[osd.0]
osd_data = ${folder}/osd
osd_objectstore = memstore
memstore_device_bytes = 2147483648
[client.rgw]
rgw_frontends = beast endpoint=127.0.0.1:${gateway}
rgw_thread_pool_size = 16
rgw_enable_ops_log = false
rgw_multipart_min_part_size = 0
`

/** Starts a gateway with one user. The gateway runs until `stop` is called. */
export async function startCeph() {
  const folder = mkdtempSync(join(tmpdir(), 'cloch-ceph-'))
  const [monitor, gateway] = [await freePort(), await freePort()]
  const fsid = randomUUID()
  const conf = join(folder, 'ceph.conf')
  writeFileSync(conf, configuration(folder, fsid, monitor, gateway))
  for (const name of ['mon', 'osd', 'crash']) mkdirSync(join(folder, name))
  const running = []
  const stop = () => {
    for (const child of running.reverse()) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  const start = (program, ...parameters) => {
    const child = spawn(program, ['-c', conf, '-f', ...parameters], { stdio: ['ignore', 'pipe', 'pipe'] })
    const log = createWriteStream(join(folder, `${program}.out`))
    child.stdout.pipe(log)
    child.stderr.pipe(log)
    running.push(child)
  }
  const once = (program, ...parameters) => run(program, ['-c', conf, ...parameters], { timeout: START_MS })
  try {
    // If the configuration contained the address, the monitor would not listen on this port.
    const monitors = join(folder, 'monmap')
    await run('monmaptool', ['--create', '--addv', 'a', `[v1:127.0.0.1:${monitor}]`, '--fsid', fsid, monitors])
    await once('ceph-mon', '--mkfs', '-i', 'a', '--monmap', monitors)
    start('ceph-mon', '-i', 'a')
    const osd = randomUUID()
    await once('ceph', 'osd', 'new', osd)
    await once('ceph-osd', '--mkfs', '-i', '0', '--osd-uuid', osd)
    start('ceph-osd', '-i', '0')
    start('radosgw', '-n', 'client.rgw')
    const [key, secret] = ['testing', 'testing-secret']
    await once('radosgw-admin', '-n', 'client.rgw', 'user', 'create', '--uid', 'test', '--display-name', 'test', '--access-key', key, '--secret-key', secret)
    const url = `http://127.0.0.1:${gateway}`
    for (const end = Date.now() + START_MS; ; ) {
      if (await fetch(url).then((answer) => answer.ok, () => false)) break
      if (Date.now() > end) throw new Error('the gateway does not answer')
      await sleep(100)
    }
    return { url, region: 'us-east-1', key, secret, stop }
  } catch (error) {
    const said = ['ceph-mon', 'ceph-osd', 'radosgw'].map((name) => {
      try {
        return readFileSync(join(folder, `${name}.out`), 'utf8').slice(-500)
      } catch {
        return ''
      }
    })
    stop()
    throw new Error(`Ceph does not start: ${error.message}\n${said.join('\n')}`, { cause: error })
  }
}
