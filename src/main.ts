import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// What was compiled once is kept: later starts are quicker and take less memory. Where it cannot be kept, nothing is
// lost but that. It has to be said before anything else is loaded. Threads find the folder in the environment.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../node_modules/.cache/banyan')
enableCompileCache()
const { serve } = await import('./app/serve.ts')
serve()
