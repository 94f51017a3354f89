/** Files that try to read the session of the user who opens them, and the ways to upload these files. */
import { askS3 } from '../../support/s3.mjs'
import { must, type Club } from './club.ts'

/** The key that a file's script writes into localStorage if it runs in the app's origin. */
export const mark = 'stolen'
const script = (id: string) => `localStorage.setItem('${mark} ${id}', Object.keys(localStorage).join())`
const xhtml = 'http://www.w3.org/1999/xhtml'

const html = (id: string) => `<!doctype html><title>x</title><script>${script(id)}</script><img src="x" onerror="${script(id)}">`
const svg = (id: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" onload="${script(id)}"><script>${script(id)}</script><foreignObject><iframe xmlns="${xhtml}" srcdoc="&lt;script&gt;${script(id)}&lt;/script&gt;"/></foreignObject></svg>`
const page = (id: string) => `<html xmlns="${xhtml}"><head><script>${script(id)}</script></head><body onload="${script(id)}"/></html>`
const stylesheet = (id: string) =>
  `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="#s"?><!DOCTYPE d [<!ATTLIST xsl:stylesheet id ID #REQUIRED>]><d>` +
  `<xsl:stylesheet id="s" version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><html><script>${script(id)}</script></html></xsl:template></xsl:stylesheet>` +
  `<script xmlns="${xhtml}">${script(id)}</script></d>`
const pdf = (id: string) =>
  `%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 2 0 R/OpenAction <</S/JavaScript/JS(try{${script(id).replaceAll('(', '\\(').replaceAll(')', '\\)')}}catch\\(e\\){}app.launchURL\\("javascript:${script(id).replaceAll('"', "'").replaceAll('(', '\\(').replaceAll(')', '\\)')}"\\))>> >> endobj\n` +
  '2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj\n3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>> endobj\ntrailer <</Root 1 0 R>>\n%%EOF'
const mhtml = (id: string) =>
  `MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="b"; type="text/html"\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n${html(id)}\r\n--b--\r\n`
/** Returns a file that begins with the signature of a picture, sound or PDF and continues as an HTML page. */
const after = (signature: string) => (id: string) => `${signature}${html(id)}`

type Body = (id: string) => string

/** Declared types, each with bytes that would run as scripts if a browser rendered them as a document. */
export const hostile: [type: string, body: Body, ending: string][] = [
  ['text/html', html, 'html'],
  ['TEXT/HTML; charset=utf-8', html, 'htm'],
  ['text/html;charset=UTF-8', html, 'png'],
  ['audio/mpeg; a=b, text/html', html, 'mp3'],
  ['audio/x; a=b, text/html', html, 'png'],
  ['image/png; a=", text/html', html, 'png'],
  ['audio/mpeg;, text/html', after('ID3\x03'), 'mp3'],
  ['application/octet-stream; x=y, text/html;charset=utf-8', html, 'bin'],
  ['text/plain; a=b, text/html', html, 'txt'],
  ['text/html ', html, 'html'],
  ['text/htmlx', html, 'html'],
  ['unknown/unknown', html, 'html'],
  ['application/unknown', html, 'html'],
  ['*/*', html, 'html'],
  ['application/x-www-form-urlencoded', html, 'html'],
  ['image/svg+xml', svg, 'svg'],
  ['Image/SVG+XML;charset=utf-8', svg, 'svg.png'],
  ['image/x+xml', svg, 'png'],
  ['audio/a+xml', page, 'mp3'],
  ['application/xhtml+xml', page, 'xhtml'],
  ['application/xml', page, 'xml'],
  ['text/xml', page, 'xml'],
  ['text/xml', stylesheet, 'xml'],
  ['application/xslt+xml', stylesheet, 'xsl'],
  ['application/rss+xml', page, 'rss'],
  ['application/mathml+xml', page, 'mml'],
  ['application/pdf', pdf, 'pdf'],
  ['application/pdf', after('%PDF-1.4\n'), 'pdf'],
  ['multipart/related', mhtml, 'mhtml'],
  ['message/rfc822', mhtml, 'eml'],
  ['image/gif', after('GIF89a/*'), 'gif'],
  ['image/jpeg', after('\xff\xd8\xff\xfe'), 'jpg'],
  ['text/javascript', (id) => script(id), 'js'],
  ['text/cache-manifest', html, 'appcache'],
]

const base64 = (text: string) => Buffer.from(text).toString('base64')

type Door = (club: Club, bucket: string, path: string, type: string, body: Buffer) => Promise<unknown>
const service = (club: Club) => ({ apikey: club.keys.SERVICE_ROLE_KEY ?? '', authorization: `Bearer ${club.keys.SERVICE_ROLE_KEY}` })

/** The ways to upload a file. If an upload is refused, there is no file to open. */
export const doors: Record<string, Door> = {
  plain: (club, bucket, path, type, body) =>
    fetch(`${club.url}/storage/v1/object/${bucket}/${path}`, { method: 'POST', headers: { ...service(club), 'content-type': type }, body: new Uint8Array(body) }),
  form: (club, bucket, path, type, body) => {
    const head = `--X\r\ncontent-disposition: form-data; name=""; filename="x"\r\ncontent-type: ${type}\r\n\r\n`
    return fetch(`${club.url}/storage/v1/object/${bucket}/${path}`, {
      method: 'POST',
      headers: { ...service(club), 'content-type': 'multipart/form-data; boundary=X' },
      body: new Uint8Array(Buffer.concat([Buffer.from(head), body, Buffer.from('\r\n--X--\r\n')])),
    })
  },
  resumable: (club, bucket, path, type, body) =>
    fetch(`${club.url}/storage/v1/upload/resumable`, {
      method: 'POST',
      headers: {
        ...service(club),
        'tus-resumable': '1.0.0',
        'upload-length': String(body.length),
        'upload-metadata': `bucketName ${base64(bucket)},objectName ${base64(path)},contentType ${base64(type)}`,
        'content-type': 'application/offset+octet-stream',
      },
      body: new Uint8Array(body),
    }),
  s3: (club, bucket, path, type, body) => askS3(club, 'PUT', `/${bucket}/${path}`, { headers: { 'content-type': type }, body: new Uint8Array(body) }),
  copy: async (club, bucket, path, type, body) => {
    await must(club.database.storage.from(bucket).upload(`${path}.original`, body, { contentType: 'text/plain' }))
    return fetch(`${club.url}/storage/v1/object/copy`, {
      method: 'POST',
      headers: { ...service(club), 'content-type': 'application/json' },
      body: JSON.stringify({ bucketId: bucket, sourceKey: `${path}.original`, destinationKey: path, copyMetadata: false, metadata: { mimetype: type } }),
    })
  },
}
