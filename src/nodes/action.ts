import { isTooDeep } from '../tools/json-depth.ts'
import type { NodeKind } from '../workflow/node-kind.ts'
import { StepFailure } from '../workflow/step.ts'
import { fillJsonText } from './fill-json-text.ts'
import { quote, readText } from './read-setting.ts'

/** Tells the program on the user's side to do something. */
export const action: NodeKind<unknown> = {
  kind: 'action',
  nodeType: 'embody',
  title: 'Action',
  fields: { content: { is: 'template', input: 'json' } },
  required: ['content'],
  outputs: () => ['content', 'result', 'text'],
  sendsMessages: true,
  run(step, data) {
    const content = fillJsonText(step, readText(data, 'content')).trim()
    const result = parseContent(content)
    step.sendMessage({ dataType: 'action', content, fileIds: [] })
    return { outputs: { content, result, text: content } }
  },
}

function parseContent(content: string): unknown {
  let parsed: unknown
  try {
    parsed = JSON.parse(content)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const message = `"content" is no JSON after its references were filled in (${why}): ${quote(content)}`
    throw new StepFailure('step_failed', message, { cause: error })
  }
  if (isTooDeep(content))
    throw new StepFailure('step_failed', '"content" is nested too deeply; make it flatter.')
  return parsed
}
