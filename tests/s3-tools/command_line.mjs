/** Command-line clients of S3, and their commands for each operation of the table. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const python = process.env.CLOCH_TEST_PYTHON
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024
const COMMAND_TIMEOUT_MS = 280_000

/** Returns a function that runs a command of a tool. The function returns the output, or throws an error that contains the output. */
const call = (file, options) => async (...parameters) => {
  try {
    const { stdout, stderr } = await run(file, parameters, { ...options, maxBuffer: MAX_OUTPUT_BYTES, timeout: COMMAND_TIMEOUT_MS })
    return stdout + stderr
  } catch (error) {
    throw new Error(`${file} ${parameters.join(' ')}: ${error.stderr || error.stdout || error.message}`.slice(0, 1500), { cause: error })
  }
}
const environment = (server, more) => ({
  env: {
    PATH: process.env.PATH, HOME: server.home, LC_ALL: 'C.UTF-8',
    AWS_ACCESS_KEY_ID: server.key, AWS_SECRET_ACCESS_KEY: server.secret, AWS_DEFAULT_REGION: server.region, AWS_EC2_METADATA_DISABLED: 'true', ...more,
  },
})

/** aws-cli (pip: awscli). */
const aws = {
  name: 'aws-cli',
  program: python ? join(dirname(python), 'aws') : 'aws',
  version: ['--version'],
  operations: (server) => {
    const cli = call(aws.program, environment(server))
    const s3 = (...parameters) => cli('s3', ...parameters, '--endpoint-url', server.url)
    const api = (...parameters) => cli('s3api', ...parameters, '--endpoint-url', server.url)
    const at = (key) => `s3://${server.bucket}/${key}`
    return {
      'make a bucket': () => s3('mb', `s3://${server.bucket}`),
      'list the buckets': () => s3('ls'),
      upload: (file, key) => s3('cp', file, at(key)),
      download: (key, file) => s3('cp', at(key), file),
      'read the details': (key) => api('head-object', '--bucket', server.bucket, '--key', key),
      list: () => s3('ls', at(''), '--recursive'),
      copy: (from, to) => s3('cp', at(from), at(to)),
      presign: async (key) => (await s3('presign', at(key))).trim(),
      'begin and abort an upload in parts': async () => {
        const { UploadId } = JSON.parse(await api('create-multipart-upload', '--bucket', server.bucket, '--key', 'given up'))
        const listed = await api('list-multipart-uploads', '--bucket', server.bucket)
        if (!listed.includes(UploadId)) throw new Error('the upload is not listed')
        await api('abort-multipart-upload', '--bucket', server.bucket, '--key', 'given up', '--upload-id', UploadId)
      },
      'write on a condition': async (file, key) => {
        const refusal = await api('put-object', '--bucket', server.bucket, '--key', key, '--body', file, '--if-none-match', '*').catch((error) => error.message)
        if (!refusal.includes('PreconditionFailed')) throw new Error(refusal)
      },
      'sync up': (folder) => s3('sync', folder, at('sync'), '--only-show-errors'),
      'sync down': (folder) => s3('sync', at('sync'), folder, '--only-show-errors'),
      'sync again': async (folder) => (await s3('sync', folder, at('sync'))).includes('upload:'),
      'delete one': (key) => s3('rm', at(key)),
      'delete all': () => s3('rm', at(''), '--recursive', '--only-show-errors'),
      'remove the bucket': () => s3('rb', `s3://${server.bucket}`),
    }
  },
}

/** rclone (apt). */
const rclone = {
  name: 'rclone',
  program: 'rclone',
  version: ['version'],
  operations: (server) => {
    const flags = ['--s3-provider', 'Other', '--s3-endpoint', server.url, '--s3-region', server.region, '--s3-env-auth', '--s3-force-path-style', '--config', '/dev/null', '--retries', '1']
    const cli = call('rclone', environment(server))
    const at = (key = '') => `:s3:${server.bucket}/${key}`
    const command = (...parameters) => cli(...parameters, ...flags)
    return {
      'make a bucket': () => command('mkdir', `:s3:${server.bucket}`),
      'list the buckets': () => command('lsd', ':s3:'),
      upload: (file, key) => command('copyto', file, at(key), '--s3-upload-cutoff', '8M', '--s3-chunk-size', '5M'),
      download: (key, file) => command('copyto', at(key), file),
      'read the details': (key) => command('lsjson', '--stat', at(key)),
      list: () => command('lsf', '-R', at()),
      copy: (from, to) => command('copyto', at(from), at(to)),
      presign: async (key) => (await command('link', at(key), '--expire', '60s')).trim(),
      'sync up': (folder) => command('sync', folder, at('sync')),
      'sync down': (folder) => command('sync', at('sync'), folder),
      'sync again': async (folder) => !(await command('check', folder, at('sync'), '--download')).includes('0 differences found'),
      'delete one': (key) => command('deletefile', at(key)),
      'delete all': () => command('delete', at()),
      'remove the bucket': () => command('rmdir', `:s3:${server.bucket}`),
    }
  },
}

/** s3cmd (apt). */
const s3cmd = {
  name: 's3cmd',
  program: 's3cmd',
  version: ['--version'],
  // `signurl` uses signature version 2. Amazon's newer regions and Supabase refuse this version too. moto does not check signatures.
  refusals: { 'presigned download': { outcome: 'version 2', says: /AccessDenied.*Missing signature/s } },
  operations: (server) => {
    const { host, pathname } = new URL(server.rootUrl ?? server.url)
    const configuration = join(server.home, 's3cfg')
    writeFileSync(configuration, [
      '[default]', `access_key = ${server.key}`, `secret_key = ${server.secret}`, `host_base = ${host}${pathname.replace(/\/$/, '')}`, `host_bucket = ${host}${pathname.replace(/\/$/, '')}`,
      'use_https = False', 'signature_v2 = False', `bucket_location = ${server.region}`, 'multipart_chunk_size_mb = 5', 'guess_mime_type = True', 'use_mime_magic = False',
    ].join('\n'))
    const cli = call('s3cmd', environment(server))
    const command = (...parameters) => cli('-c', configuration, ...parameters)
    const at = (key = '') => `s3://${server.bucket}/${key}`
    return {
      'make a bucket': () => command('mb', `s3://${server.bucket}`),
      'list the buckets': () => command('ls'),
      upload: (file, key) => command('put', file, at(key)),
      download: (key, file) => command('get', '--force', at(key), file),
      'read the details': (key) => command('info', at(key)),
      list: () => command('ls', '-r', at()),
      copy: (from, to) => command('cp', at(from), at(to)),
      presign: async (key) => (await command('signurl', at(key), '+60')).trim(),
      'sync up': (folder) => command('sync', '--quiet', `${folder}/`, at('sync/')),
      'sync down': (folder) => command('sync', '--quiet', at('sync/'), `${folder}/`),
      'sync again': async (folder) => (await command('sync', `${folder}/`, at('sync/'))).includes('upload:'),
      'delete one': (key) => command('del', at(key)),
      'delete all': () => command('del', '--recursive', '--force', '--quiet', at()),
      'remove the bucket': () => command('rb', `s3://${server.bucket}`),
    }
  },
}

export const commandLine = [aws, rclone, s3cmd]
export { call, environment }
