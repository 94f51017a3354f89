/** Allowed differences between Cloch and the storage server, each with its reason. An entry that explains nothing fails the suite. */

/** Whether a value has a form: a regular expression, a function, an object of forms, or the same value. */
function matches(form, value) {
  if (form instanceof RegExp) return typeof value === 'string' && form.test(value)
  if (typeof form === 'function') return form(value)
  if (form !== null && typeof form === 'object')
    return (
      value !== null && typeof value === 'object' && Object.entries(form).every(([key, inner]) => matches(inner, value[key]))
    )
  return form === value
}

/** Explains one field. `at`: the scenario and the label of the step. */
const field = (reason, { at = /./, path, reference, cloch, both = () => true }) => ({
  reason,
  explains: (step, difference) =>
    at.test(`${step.scenario}: ${step.label}`) &&
    path.test(difference.path) &&
    matches(reference, difference.reference) &&
    matches(cloch, difference.cloch) &&
    both(difference.reference, difference.cloch),
})

/** Explains a whole response. */
const response = (reason, { at = /./, reference, cloch }) => ({
  reason,
  explains: (step) =>
    at.test(`${step.scenario}: ${step.label}`) && matches(reference, step.reference) && matches(cloch, step.cloch),
})

const refused = (code, message = /./) => ({ body: { code, message } })
const any = () => true
const decoded = (text) => decodeURIComponent(text.replace(/"/g, ''))

const documented = [
  // docs/storage.md, "Differences from Supabase"
  response('custom metadata that is no JSON object is refused', {
    at: /^customMetadata/,
    reference: { status: 200 },
    cloch: { status: 400 },
  }),
  response('custom metadata that is no JSON object is refused: TUS', {
    at: /^customMetadata: TUS/,
    reference: { status: 201 },
    cloch: { status: 400 },
  }),
  response('a form with several files is refused', { at: /^largeForms/, reference: { status: 200 }, cloch: { status: 400 } }),
  field('media types are stored in a normal form', {
    path: /content.type$|mimetype$/,
    reference: /^[a-z]+\/[a-z.+-]+ ?;|[A-Z]|^[^/]+$/,
    cloch: /^[a-z]+\/[a-z.+-]+(;charset=[\w-]+)?$/,
  }),
  response('the case of letters does not count for the allowed types', {
    at: /^mediaTypes/,
    reference: { status: 400 },
    cloch: { status: 200 },
  }),
  response('limits of buckets apply to copies, moves and uploads without a length', {
    at: /^limitsOfCopies|chunked$/,
    reference: { status: 200 },
    cloch: refused(/InvalidMimeType|EntityTooLarge/),
  }),
  response('TUS: PATCH at the end of a complete upload is repeatable', {
    at: /^tus\w+: PATCH/,
    reference: { status: 409 },
    cloch: { status: 204 },
  }),
  response('a role that does not exist', {
    at: /^oddClaims: role/,
    reference: { status: 500, body: { message: 'database error, code: 22023' } },
    cloch: { status: 400 },
  }),
  response('NUL characters', { at: /^serverErrors/, reference: { status: 500 }, cloch: { status: 400 } }),
  response('requests without Authorization', {
    reference: refused('InvalidRequest', "headers must have required property 'authorization'"),
    cloch: refused('AccessDenied', 'Invalid Compact JWS'),
  }),
  field('a descending list shows all folders', {
    at: /^lists: .*"order":"desc"/,
    path: /^body$/,
    reference: Array.isArray,
    cloch: Array.isArray,
    both: (reference, cloch) => cloch.length > reference.length,
  }),
  response('TUS: POST may stand for PATCH', { at: /^tusOverride: POST/, reference: { status: 400 }, cloch: { status: 204 } }),
  response('TUS: another user may not continue or end an upload', {
    at: /^tusOfAnotherUser: (PATCH|DELETE)/,
    reference: { status: 204 },
    cloch: { status: 403 },
  }),
  response('policies see no type and length when an upload link is signed', {
    at: /^policiesOfLinks: (type|length)/,
    reference: { status: 200 },
    cloch: refused('AccessDenied'),
  }),
  response('listV2, by time: _ and % match only themselves', {
    at: /^patternsInPrefixes: .*created_at/,
    reference: { status: 200 },
    cloch: { status: 200 },
  }),
  // docs/storage.md, "Conditions and ranges"
  response('invalid ranges are ignored (RFC 9110)', {
    at: /^rangesAndConditions/,
    reference: { status: 416 },
    cloch: { status: 200 },
  }),
  response('weak, listed and wildcard entity tags match (RFC 9110)', {
    at: /if-none-match|If-None-Match/,
    reference: { status: 200 },
    cloch: { status: 304 },
  }),
  response('conditions apply to HEAD, too', {
    at: /HEAD.*(if-modified-since|If-None-Match)/,
    reference: { status: 200 },
    cloch: { status: 304 },
  }),
  field('416 has the size of the file', { path: /^headers.content-range$/, reference: undefined, cloch: /^bytes \*\/\d+$/ }),
  // docs/storage.md, "Versions"
  response('versions of files', { at: /^versions/, reference: any, cloch: { status: 400 } }),
  // docs/security.md
  field('content that a browser could run is sent as an attachment', {
    path: /^headers.content-disposition$/,
    reference: undefined,
    cloch: 'attachment',
  }),
  field('content of a raw upload keeps its encoding, language and disposition', {
    path: /content-?(encoding|language|disposition)$/i,
    reference: undefined,
    cloch: any,
  }),
]

const harmless = [
  field('TUS: responses without a body have no type', {
    path: /^headers.content-type$/,
    reference: 'text/plain;charset=UTF-8',
    cloch: undefined,
  }),
  field('TUS: the end of an unfinished upload is in all responses', {
    path: /^headers.upload-expires$/,
    reference: undefined,
    cloch: '<date>',
  }),
  field('TUS: HEAD has a length', { at: /HEAD/, path: /^headers.content-length$/, reference: undefined, cloch: '0' }),
  field('TUS: checksums are supported', { path: /^headers.tus-extension$/, reference: any, cloch: /,checksum$/ }),
  field('TUS: identifiers are checked before the names in them', {
    at: /^tusIdentifiers/,
    path: /^body$/,
    reference: /^Invalid key/,
    cloch: 'Invalid upload id',
  }),
  field('the name in Content-Disposition is quoted', {
    path: /^headers.content-disposition$/,
    reference: /filename\*=/,
    cloch: /^attachment; filename=".*"; filename\*=/,
    both: sameName,
  }),
  response('a private bucket is not named by its public address', {
    at: /\/object\/public\//,
    reference: refused('NoSuchKey'),
    cloch: refused('NoSuchBucket'),
  }),
  response('HEAD has the same address for files of public buckets as GET', {
    at: /HEAD \/object\/info\/public/,
    reference: { status: 400 },
    cloch: { status: 200 },
  }),
  field('HEAD has the same X-Robots-Tag as GET', { at: /HEAD/, path: /^headers.x-robots-tag$/, reference: 'none', cloch: any }),
  field('other words for tokens that are no JWT', {
    path: /^body.message$/,
    reference: 'JWS Protected Header is invalid',
    cloch: '"alg" (Algorithm) Header Parameter value not allowed',
  }),
  response('dots are checked before the file is looked for', {
    at: /^fileNames|^namesInBodies/,
    reference: refused(/NoSuchKey|InvalidKey/),
    cloch: refused('InvalidKey', /contains dot path segment/),
  }),
  field('signed URLs have the normal form of the name', {
    at: /^fileNames/,
    path: /^body.signedURL$/,
    reference: any,
    cloch: any,
    both: (reference, cloch) => decoded(reference) === decoded(cloch),
  }),
  response('empty parts of an address are removed', {
    at: /^doubleSlashes/,
    reference: { status: 200 },
    cloch: { status: 200 },
  }),
]

/** Odd requests that no client sends. Both servers refuse or accept them without harm. */
const odd = [
  response('an invalid type of a request is refused with the message for a body without a type', {
    at: /^bucketBodies: .*"garbage"/,
    reference: refused('InvalidMimeType'),
    cloch: any,
  }),
  field('other order of the messages', {
    at: /file_size_limit/,
    path: /^body.message$/,
    reference: /^body\/file_size_limit must/,
    cloch: /^body\/file_size_limit must/,
  }),
  response('a list with one number is no limit', {
    at: /^updateWithAnyValue: file_size_limit = \[/,
    reference: { status: 200 },
    cloch: any,
  }),
  response('numbers of more than 64 bits are no integers', {
    at: / = 1e21$/,
    reference: any,
    cloch: refused('InvalidRequest', /must be integer/),
  }),
  response('an empty name of a bucket is looked for', {
    at: /^copiesWithAnyValue: move bucketId/,
    reference: refused('InvalidBucketName'),
    cloch: refused('NoSuchKey'),
  }),
  response('a parameter that occurs twice', {
    at: /download=a&download=b$/,
    reference: { status: 200 },
    cloch: { status: 400 },
  }),
  field('signed URLs of pictures name the default of resize', {
    path: /^body.signedURL$/,
    reference: /resize:undefined/,
    cloch: /resize:cover/,
  }),
  field('other words for a token of another kind', {
    at: /^forgedSignatures/,
    path: /^body.message$/,
    reference: 'Invalid signature',
    cloch: 'Token is not a signed URL',
  }),
  response('the token is checked before the body', {
    at: /^signedReads: POST$/,
    reference: refused('InvalidRequest'),
    cloch: refused('AccessDenied'),
  }),
  response('an empty role is no role', {
    at: /^oddClaims: role (null|empty)/,
    reference: any,
    cloch: refused(/AccessDenied|NoSuchBucket/),
  }),
  response('an expiry null is no expiry', { at: /^oddClaims: exp null/, reference: { status: 400 }, cloch: any }),
  response('a token of the future is not valid', { at: /^oddClaims: iat future/, reference: any, cloch: { status: 400 } }),
  response('addresses that end with a slash', {
    at: /^(methods|trailingSlashes): \w+ \/[^ ]*\/( |$)/,
    reference: { status: 400 },
    cloch: any,
  }),
  field('TUS: the x-upsert of the creation counts for each chunk', {
    at: /^tusConflicts: (HEAD: x-upsert only|row of a.txt)/,
    path: /upload-offset|contentLength|size/,
    reference: any,
    cloch: any,
  }),
  response('TUS: a chunk without a type', {
    at: /^tusHeaders: PATCH: .*null/,
    reference: { status: 403 },
    cloch: { status: 400 },
  }),
  response('TUS: methods that an upload does not have', {
    at: /^tusHeaders: PUT/,
    reference: { status: 404 },
    cloch: { status: 404 },
  }),
  response('TUS: HEAD of an upload by another caller is refused', {
    at: /^tusHeaders: HEAD: as anon/,
    reference: { status: 200 },
    cloch: { status: 403 },
  }),
  response('TUS: identifiers with a slash have no route', {
    at: /^tusIdentifiers: \w+ \/upload\/resumable\/a\/b /,
    reference: { status: 404 },
    cloch: { status: 404 },
  }),
  field('TUS: other words for two lengths', {
    at: /^tusLengths: with a length/,
    path: /^body$/,
    reference: /defer-length/,
    cloch: /Defer-Length/,
  }),
  field('TUS: the message names the whole path', {
    at: /^tusMetadata: create/,
    path: /^body$/,
    reference: /dot path segment$/,
    cloch: /dot path segment$/,
  }),
]

/** Compares the encoded names, of which Cloch encodes more characters. */
function sameName(reference, cloch) {
  const [left, right] = [reference, cloch].map((value) => decodeURIComponent(/UTF-8''(.*)$/.exec(value)?.[1] ?? value))
  return left === right
}

export const allowed = [...documented, ...harmless, ...odd]
