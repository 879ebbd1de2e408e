import { type Gap, isJsonRecord, type JsonRecord, type NodeKind } from '../workflow/node-kind.ts'
import type { NodeServices } from './node-services.ts'
import { readRecord, readText } from './read-setting.ts'
import { stepFailureOf } from './step-failure-of.ts'

/** Runs a function that the author wrote, where it can reach nothing but its inputs. */
export const code: NodeKind<NodeServices> = {
  kind: 'code',
  nodeType: 'tool',
  title: 'Code',
  fields: {
    // Not a template: what another node or a user said must never become code.
    code: { is: 'text', input: 'code' },
    inputs: { is: 'dictionary', of: { is: 'tree', input: 'line' } },
  },
  required: ['code'],
  gaps: findGaps,
  // Only running it would tell what it returns.
  outputs: () => undefined,
  // The code itself has 5 seconds; the rest is for its turn to come.
  timeoutMilliseconds: 10_000,
  async run(step, data, services) {
    const inputs = step.fill(readRecord(data, 'inputs')) as JsonRecord
    try {
      let logs: readonly string[] = []
      const result = await services.code.run(readText(data, 'code'), inputs, step.signal, lines => {
        logs = lines
      })
      // A field that the author calls "result" or "logs" is the one that is meant by it.
      return {
        outputs: { ...(logs.length > 0 && { logs }), result, ...(isJsonRecord(result) ? result : {}) },
      }
    } catch (error) {
      throw stepFailureOf(error)
    }
  },
}

/** Looks at the text only: to check code by running it would be to run it for whoever may save it. */
function findGaps(data: JsonRecord): Gap[] {
  const text = readText(data, 'code')
  if (text.trim() === '' || /\bmain\b|\bexport\s+default\b/.test(text)) return []
  const message = 'The code needs a function main(inputs) that returns the result.'
  return [{ place: ['code'], message }]
}
