import { flushCompileCache } from 'node:module'
import { lowerThreadPriority } from '../../kernel/thread-priority.ts'
import { brokenReport, type CodeReport, type CodeTask } from './code-messages.ts'
import { loadPython, runPython } from './python.ts'

/** Runs in its own process, which a crash of the interpreter ends. */

const report = (message: CodeReport): void => void process.send?.(message)

// Requests go first: code may be an endless loop, which would take its share of every core until its timeout.
lowerThreadPriority(5)
// The server has ended, perhaps without a chance to end this process.
process.on('disconnect', () => process.exit())
process.on('message', async (task: CodeTask) => {
  try {
    report(await runPython(task))
  } catch (error) {
    report(brokenReport(error))
  }
})
await loadPython()
report({ kind: 'ready' })
// This process will be killed, so it must write the compile cache for the next one now.
flushCompileCache()
