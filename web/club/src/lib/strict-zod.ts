/** Disables the code generation of zod, which the content security policy forbids: even the attempt would be reported. */
import { config } from 'zod'

config({ jitless: true })
