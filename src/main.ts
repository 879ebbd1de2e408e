import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Compiled modules are cached: later starts are faster and take less memory. A folder that cannot be written only means
// slower starts. The cache must be enabled before any other module loads, and worker threads take its folder from the
// environment.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../node_modules/.cache/banyan')
enableCompileCache()
const { serve } = await import('./app/serve.ts')
serve()
