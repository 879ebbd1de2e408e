import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// What was compiled once is kept: later starts are quicker and take less memory. Where it cannot be kept, nothing is
// lost but that. It has to be said before anything else is loaded.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/banyan'))
const { serve } = await import('./app/serve.ts')
serve()
