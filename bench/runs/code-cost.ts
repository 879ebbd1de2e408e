import { PooledCodeRunner } from '../../src/adapters/code/pooled-code-runner.ts'
import type { CodeLanguage } from '../../src/tools/code-runner.ts'
import { takeJob } from '../other-process.ts'

export interface CodeJob {
  language: CodeLanguage
  warmUpCalls: number
  calls: number
}

export interface CodeCost {
  /** Time of one call, including the transfer to its worker and back. */
  milliseconds: number
}

const programs: Record<CodeLanguage, string> = {
  javascript: 'function main({ query }) { return { text: query.trim() } }',
  python: 'def main(query):\n    return {"text": query.strip()}',
}

/**
 * Calls a short function again and again. Measured by the clock: Python has a process of its own, and its processor time
 * is not part of that of this process.
 */
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
  const begun = performance.now()
  await repeat(calls)
  const milliseconds = (performance.now() - begun) / calls
  await runner.close()
  return { milliseconds }
})
