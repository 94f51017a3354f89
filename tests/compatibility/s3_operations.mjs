/** Operations of the S3 protocol, each with a signed request. `s3(method, path, request)` sends the request to the project. */
import { expect } from './table.mjs'

const body = async (answer) => {
  const text = await answer.text()
  expect(answer.ok, `${answer.status} ${/<Code>(\w+)/.exec(text)?.[1] ?? text.slice(0, 80)}`)
  return text
}
const ask = (name, method, path, request) => ({ name, probe: async ({ s3 }) => body(await s3(method, path, request)) })
const containing = (name, method, path, part, request) => ({
  name,
  probe: async ({ s3 }) => expect((await body(await s3(method, path, request))).includes(part), `the answer names ${part}`),
})
const alsoMissing = "Supabase's S3 does not have it either"
/** An operation that Cloch does not support. If the response is only the object or the list of the bucket, the server has ignored the operation. */
const missing = (name, method, path) => ({
  name,
  missing: alsoMissing,
  probe: async ({ s3 }) => expect(!/^hello$|<ListBucketResult/.test(await body(await s3(method, path))), 'another answer'),
})

/** Sub-resources of a bucket. Each one is read, written and deleted with a query parameter. */
const settings = {
  acl: 'Acl', cors: 'Cors', encryption: 'Encryption', logging: 'Logging', notification: 'NotificationConfiguration',
  'object-lock': 'ObjectLockConfiguration', policy: 'Policy', replication: 'Replication', requestPayment: 'RequestPayment', tagging: 'Tagging', website: 'Website',
}

export const operations = [
  ask('CreateBucket', 'PUT', '/compat'),
  containing('ListBuckets', 'GET', '', '<Name>compat</Name>'),
  ask('HeadBucket', 'HEAD', '/compat'),
  containing('GetBucketLocation', 'GET', '/compat?location=', 'LocationConstraint'),
  ask('PutObject', 'PUT', '/compat/a.txt', { body: 'hello', headers: { 'content-type': 'text/plain' } }),
  containing('GetObject', 'GET', '/compat/a.txt', 'hello'),
  ask('HeadObject', 'HEAD', '/compat/a.txt'),
  { name: 'GetObject with Range', probe: async ({ s3 }) => expect((await body(await s3('GET', '/compat/a.txt', { headers: { range: 'bytes=1-2' } }))) === 'el', 'two bytes') },
  ask('CopyObject', 'PUT', '/compat/b.txt', { headers: { 'x-amz-copy-source': '/compat/a.txt' } }),
  containing('ListObjects', 'GET', '/compat', '<Key>b.txt</Key>'),
  containing('ListObjectsV2', 'GET', '/compat?list-type=2', '<Key>b.txt</Key>'),
  {
    name: 'CreateMultipartUpload',
    probe: async (context) => {
      context.upload = /<UploadId>([^<]+)/.exec(await body(await context.s3('POST', '/compat/parts?uploads=')))[1]
    },
  },
  {
    name: 'UploadPart',
    probe: async (context) => {
      const answer = await context.s3('PUT', `/compat/parts?partNumber=1&uploadId=${context.upload}`, { body: 'part' })
      await body(answer)
      context.etag = answer.headers.get('etag')
    },
  },
  { name: 'UploadPartCopy', probe: async ({ s3, upload }) => body(await s3('PUT', `/compat/parts?partNumber=2&uploadId=${upload}`, { headers: { 'x-amz-copy-source': '/compat/a.txt' } })) },
  { name: 'ListParts', probe: async ({ s3, upload }) => expect((await body(await s3('GET', `/compat/parts?uploadId=${upload}`))).includes('<PartNumber>1</PartNumber>'), 'the part') },
  { name: 'ListMultipartUploads', probe: async ({ s3, upload }) => expect((await body(await s3('GET', '/compat?uploads='))).includes(upload), 'the upload') },
  {
    name: 'CompleteMultipartUpload',
    probe: async ({ s3, upload, etag }) => {
      const parts = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part></CompleteMultipartUpload>`
      await body(await s3('POST', `/compat/parts?uploadId=${upload}`, { body: parts }))
    },
  },
  {
    name: 'AbortMultipartUpload',
    probe: async ({ s3 }) => {
      const upload = /<UploadId>([^<]+)/.exec(await body(await s3('POST', '/compat/given-up?uploads=')))[1]
      await body(await s3('DELETE', `/compat/given-up?uploadId=${upload}`))
    },
  },
  ...Object.entries(settings).flatMap(([parameter, name]) => [missing(`GetBucket${name}`, 'GET', `/compat?${parameter}=`), missing(`PutBucket${name}`, 'PUT', `/compat?${parameter}=`)]),
  ...['cors', 'encryption', 'policy', 'replication', 'tagging', 'website'].map((parameter) => missing(`DeleteBucket${settings[parameter].replace('Configuration', '')}`, 'DELETE', `/compat?${parameter}=`)),
  ...['acl:Acl', 'tagging:Tagging', 'legal-hold:LegalHold', 'retention:Retention', 'torrent:Torrent'].map((pair) => {
    const [parameter, name] = pair.split(':')
    return missing(`GetObject${name}`, 'GET', `/compat/a.txt?${parameter}=`)
  }),
  ...['acl:Acl', 'tagging:Tagging', 'legal-hold:LegalHold', 'retention:Retention'].map((pair) => {
    const [parameter, name] = pair.split(':')
    return missing(`PutObject${name}`, 'PUT', `/compat/a.txt?${parameter}=`)
  }),
  missing('DeleteObjectTagging', 'DELETE', '/compat/a.txt?tagging='),
  ask('PutBucketVersioning', 'PUT', '/compat?versioning=', { body: '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>' }),
  containing('GetBucketVersioning', 'GET', '/compat?versioning=', '<Status>Enabled</Status>'),
  {
    name: 'GetObject with versionId',
    probe: async (context) => {
      const put = async (text) => (await context.s3('PUT', '/compat/v.txt', { body: text })).headers.get('x-amz-version-id')
      context.versions = [await put('one'), await put('two')]
      expect((await body(await context.s3('GET', `/compat/v.txt?versionId=${context.versions[0]}`))) === 'one', 'the first version')
    },
  },
  { name: 'ListObjectVersions', probe: async ({ s3, versions }) => expect((await body(await s3('GET', '/compat?prefix=v.txt&versions='))).includes(versions[0]), 'the first version') },
  {
    name: 'DeleteObject with versionId',
    probe: async ({ s3, versions }) => {
      for (const version of versions) await body(await s3('DELETE', `/compat/v.txt?versionId=${version}`))
      expect(!(await body(await s3('GET', '/compat?prefix=v.txt&versions='))).includes('<Version>'), 'no version')
      await body(await s3('PUT', '/compat?versioning=', { body: '<VersioningConfiguration><Status>Suspended</Status></VersioningConfiguration>' }))
    },
  },
  ask('PutBucketLifecycleConfiguration', 'PUT', '/compat?lifecycle=', { body: '<LifecycleConfiguration><Rule><ID>x</ID><Status>Enabled</Status><Filter><Prefix></Prefix></Filter><Expiration><Days>9</Days></Expiration></Rule></LifecycleConfiguration>' }),
  containing('GetBucketLifecycleConfiguration', 'GET', '/compat?lifecycle=', '<Days>9</Days>'),
  ask('DeleteBucketLifecycle', 'DELETE', '/compat?lifecycle='),
  missing('RestoreObject', 'POST', '/compat/a.txt?restore='),
  missing('SelectObjectContent', 'POST', '/compat/a.txt?select=&select-type=2'),
  {
    name: 'PutObject with If-None-Match',
    probe: async ({ s3 }) => expect((await s3('PUT', '/compat/a.txt', { body: 'other', headers: { 'if-none-match': '*' } })).status === 412, '412'),
  },
  {
    name: 'PutObject with If-Match',
    probe: async ({ s3 }) => {
      const put = async (etag) => (await s3('PUT', '/compat/a.txt', { body: 'hello', headers: { 'if-match': etag } })).status
      expect((await put('"other"')) === 412, '412')
      expect((await put('"5d41402abc4b2a76b9719d911017c592"')) === 200, '200')
    },
  },
  containing('GetObjectAttributes', 'GET', '/compat/a.txt?attributes=', '<ObjectSize>5</ObjectSize>', { headers: { 'x-amz-object-attributes': 'ObjectSize' } }),
  ask('DeleteObject', 'DELETE', '/compat/b.txt'),
  ask('DeleteObjects', 'POST', '/compat?delete=', { body: '<Delete><Object><Key>a.txt</Key></Object><Object><Key>parts</Key></Object></Delete>' }),
  {
    name: 'DeleteBucket',
    probe: async ({ s3 }) => {
      // While versioning was suspended, deletions have left delete markers.
      const marks = [...(await body(await s3('GET', '/compat?versions='))).matchAll(/<Key>([^<]+)<\/Key><VersionId>([^<]+)</g)]
      for (const [, key, version] of marks) await body(await s3('DELETE', `/compat/${key}?versionId=${version}`))
      await body(await s3('DELETE', '/compat'))
    },
  },
]
