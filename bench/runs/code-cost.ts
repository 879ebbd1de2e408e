import { PooledCodeRunner } from '../../src/adapters/code/pooled-code-runner.ts'
import type { CodeLanguage } from '../../src/tools/code-runner.ts'
import { takeJob } from '../other-process.ts'

export interface CodeJob {
  language: CodeLanguage
  warmUpCalls: number
  calls: number
}

export interface CodeCost {
  /** Of the whole process, so the hand-over to the thread and back is included. */
  processorMilliseconds: number
  milliseconds: number
}

const programs: Record<CodeLanguage, string> = {
  javascript: 'function main({ query }) { return { text: query.trim() } }',
  python: 'def main(query):\n    return {"text": query.strip()}',
}

/** What one call of a short function costs, one after the other in one thread. */
takeJob(async ({ language, warmUpCalls, calls }: CodeJob): Promise<CodeCost> => {
  const runner = new PooledCodeRunner({ threads: 1 })
  const { signal } = new AbortController()
  const repeat = async (count: number): Promise<void> => {
    for (let at = 0; at < count; at++) {
      const inputs = { query: ` Hello number ${at} ` }
      await runner.run({ workspaceId: 'w', language, code: programs[language], inputs }, signal)
    }
  }
  await repeat(warmUpCalls)
  const before = process.cpuUsage()
  const begun = performance.now()
  await repeat(calls)
  const milliseconds = (performance.now() - begun) / calls
  const { user, system } = process.cpuUsage(before)
  await runner.close()
  return { processorMilliseconds: (user + system) / 1000 / calls, milliseconds }
})
