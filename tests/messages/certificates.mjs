/** Certificates that contain a mistake, as the files `tls.crt` and `tls.key` of a folder. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** Creates a certificate for one name. With `days` below zero, the certificate has expired. */
export function certificateFor(name, folder, days) {
  const at = (file) => join(folder, file)
  const openssl = (...words) => execFileSync('openssl', words, { stdio: 'ignore' })
  openssl('req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`, '-keyout', at('tls.key'), '-out', at('tls.csr'))
  openssl('x509', '-req', '-in', at('tls.csr'), '-signkey', at('tls.key'), '-copy_extensions', 'copy', '-days', String(days), '-out', at('tls.crt'))
}
