import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// As for the server (src/main.ts): most of the time of a short command goes into compiling its modules.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/banyan'))
const { runCommandLine } = await import('./command-line.ts')
process.exitCode = await runCommandLine(process.argv.slice(2))
