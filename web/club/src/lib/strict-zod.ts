/** zod would make functions from text for speed, and the content security policy forbids to: even the attempt is reported. */
import { config } from 'zod'

config({ jitless: true })
