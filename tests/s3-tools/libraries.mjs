/** Libraries for S3, and their code for each operation of the table. */
import { spawn } from 'node:child_process'
import { createReadStream, createWriteStream, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'

import * as sdk from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'

/** Processes a list, with eight elements at a time. */
async function eachOf(list, work) {
  const left = [...list]
  await Promise.all(Array.from({ length: 8 }, async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) await work(next)
  }))
}

/** The AWS SDK for JavaScript with its default settings: it sends checksums in trailers. */
export const javascript = {
  name: 'AWS SDK for JavaScript',
  version: () => JSON.parse(readFileSync(join(import.meta.dirname, '../node_modules/@aws-sdk/client-s3/package.json'), 'utf8')).version,
  operations: (server) => {
    const client = new sdk.S3Client({ endpoint: server.url, region: server.region, forcePathStyle: true, maxAttempts: 1, credentials: { accessKeyId: server.key, secretAccessKey: server.secret } })
    const Bucket = server.bucket
    const send = (name, input) => client.send(new sdk[`${name}Command`]({ Bucket, ...input }))
    const upload = (file, Key) => new Upload({ client, params: { Bucket, Key, Body: createReadStream(file) }, partSize: 5 * 1024 * 1024 }).done()
    const download = async (Key, file) => pipeline((await send('GetObject', { Key })).Body, createWriteStream(file))
    const keys = async (Prefix) => {
      const found = []
      for await (const page of sdk.paginateListObjectsV2({ client }, { Bucket, Prefix })) found.push(...(page.Contents ?? []).map((entry) => entry.Key))
      return found
    }
    return {
      'make a bucket': () => send('CreateBucket'),
      'list the buckets': async () => (await client.send(new sdk.ListBucketsCommand({}))).Buckets.map((bucket) => bucket.Name).join(' '),
      upload,
      download,
      'read the details': async (Key) => String((await send('HeadObject', { Key })).ContentLength),
      list: async () => (await keys()).join('\n'),
      copy: (from, Key) => send('CopyObject', { CopySource: `${Bucket}/${encodeURIComponent(from)}`, Key }),
      presign: (Key) => getSignedUrl(client, new sdk.GetObjectCommand({ Bucket, Key }), { expiresIn: 60 }),
      'presign an upload': (Key) => getSignedUrl(client, new sdk.PutObjectCommand({ Bucket, Key }), { expiresIn: 60 }),
      'begin and abort an upload in parts': async () => {
        const { UploadId } = await send('CreateMultipartUpload', { Key: 'given up' })
        await send('UploadPart', { Key: 'given up', UploadId, PartNumber: 1, Body: 'part' })
        if ((await send('ListParts', { Key: 'given up', UploadId })).Parts.length !== 1) throw new Error('the part is not listed')
        if (!(await send('ListMultipartUploads')).Uploads.some((listed) => listed.UploadId === UploadId)) throw new Error('the upload is not listed')
        await send('AbortMultipartUpload', { Key: 'given up', UploadId })
      },
      'write on a condition': async (file, Key) => {
        const refusal = await send('PutObject', { Key, Body: readFileSync(file), IfNoneMatch: '*' }).catch((error) => error.name)
        if (refusal !== 'PreconditionFailed') throw new Error(`it was ${refusal}`)
      },
      'read the attributes': async (Key) => String((await send('GetObjectAttributes', { Key, ObjectAttributes: ['ObjectSize'] })).ObjectSize),
      'sync up': (folder) => {
        const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
        return eachOf(files.map((entry) => join(entry.parentPath ?? entry.path, entry.name)), (path) => send('PutObject', { Key: `sync/${relative(folder, path)}`, Body: readFileSync(path) }))
      },
      'sync down': async (folder) =>
        eachOf(await keys('sync/'), async (key) => {
          const path = join(folder, key.slice('sync/'.length))
          mkdirSync(dirname(path), { recursive: true })
          await download(key, path)
        }),
      'delete one': (Key) => send('DeleteObject', { Key }),
      'delete all': async () => {
        const everything = await keys()
        while (everything.length > 0) {
          const { Errors } = await send('DeleteObjects', { Delete: { Objects: everything.splice(0, 1000).map((Key) => ({ Key })) } })
          if (Errors?.length) throw new Error(JSON.stringify(Errors[0]))
        }
      },
      'remove the bucket': () => send('DeleteBucket'),
    }
  },
}

/** boto3 (pip). There is one process for each server. */
export const boto3 = {
  name: 'boto3',
  program: process.env.CLOCH_TEST_PYTHON,
  version: ['-c', 'import boto3; print(boto3.__version__)'],
  operations: (server) => {
    const child = spawn(boto3.program, [join(import.meta.dirname, 'boto3_operations.py'), server.url, server.region, server.key, server.secret, server.bucket], { stdio: ['pipe', 'pipe', 'inherit'] })
    server.stopping.push(() => child.stdin.end())
    const answers = createInterface(child.stdout)[Symbol.asyncIterator]()
    const ask = (name) => async (...parameters) => {
      child.stdin.write(`${JSON.stringify([name, parameters])}\n`)
      const { result, error } = JSON.parse((await answers.next()).value)
      if (error) throw new Error(error)
      return result
    }
    const names = [
      'make a bucket', 'list the buckets', 'upload', 'download', 'read the details', 'list', 'copy', 'presign', 'presign an upload',
      'begin and abort an upload in parts', 'write on a condition', 'sync up', 'sync down', 'delete one', 'delete all', 'remove the bucket',
    ]
    return Object.fromEntries(names.map((name) => [name, ask(name)]))
  },
}
