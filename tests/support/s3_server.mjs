/**
 * An S3 server for tests. It is the server in CLOCH_TEST_S3_URL (`http://host/bucket`). If this is not set, it is moto, started with
 * CLOCH_TEST_PYTHON.
 */
import { spawn } from 'node:child_process'

const python = process.env.CLOCH_TEST_PYTHON
const given = process.env.CLOCH_TEST_S3_URL

/** The reason why there is no S3 server, or false if there is one. */
export const noS3Server = python || given ? false : 'neither CLOCH_TEST_PYTHON nor CLOCH_TEST_S3_URL is set'

/** The server ends when its standard input is closed. Therefore it ends together with this process. */
const server = `
import sys, boto3
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address='127.0.0.1', port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
url = f'http://{host}:{port}'
boto3.client('s3', endpoint_url=url, region_name='us-east-1', aws_access_key_id='x', aws_secret_access_key='x').create_bucket(Bucket='test')
print(f'{url}/test', flush=True)
sys.stdin.read()
`

/**
 * Starts moto, or uses the given server.
 * @returns its endpoint and bucket, the lines of a TOML table with their names and keys, the child process (undefined for a given server), and
 * `stop()`.
 */
export async function startS3Server() {
  const child = given ? undefined : spawn(python, ['-c', server], { stdio: ['pipe', 'pipe', 'ignore'] })
  const url =
    given ??
    (await new Promise((done, failed) => {
      child.once('exit', (code) => failed(new Error(`the S3 server ended with ${code}`)))
      child.stdout.once('data', (text) => done(text.toString().trim()))
    }))
  const at = url.lastIndexOf('/')
  const [endpoint, bucket] = [url.slice(0, at), url.slice(at + 1)]
  const access = `endpoint = "${endpoint}"
region = "${process.env.CLOCH_TEST_S3_REGION ?? 'us-east-1'}"
access_key_id = "${process.env.CLOCH_TEST_S3_KEY ?? 'test'}"
secret_access_key = "${process.env.CLOCH_TEST_S3_SECRET ?? 'test'}"
path_style = true
`
  return { endpoint, bucket, access, child, stop: () => child?.stdin.end() }
}
