/** Disables code generation in zod. The content security policy forbids it, and browsers would report even an attempt. */
import { config } from 'zod'

config({ jitless: true })
