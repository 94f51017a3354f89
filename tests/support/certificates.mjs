/** Creates a certificate authority and a certificate for this machine with openssl, as files in `folder`. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1']

export function makeCertificate(folder) {
  const at = (name) => join(folder, name)
  const openssl = (...args) => execFileSync('openssl', args, { stdio: 'ignore' })
  openssl('req', '-x509', ...newKey, '-subj', '/CN=authority of tests', '-keyout', at('authority.key'), '-out', at('authority.crt'))
  openssl('req', ...newKey.slice(0, -2), '-subj', '/CN=localhost', '-keyout', at('tls.key'), '-out', at('tls.csr'))
  writeFileSync(at('names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n')
  openssl('x509', '-req', '-in', at('tls.csr'), '-CA', at('authority.crt'), '-CAkey', at('authority.key'), '-CAcreateserial', '-days', '1', '-extfile', at('names'), '-out', at('tls.crt'))
  return { authority: at('authority.crt'), certificate: at('tls.crt'), key: at('tls.key') }
}
