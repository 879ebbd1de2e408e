import type { ServedTool } from '../../tools/tool-server.ts'
import { type Step, StepFailure } from '../../workflow/step.ts'
import type { NodeServices } from '../node-services.ts'
import { stepFailureOf } from '../step-failure-of.ts'
import type { ToolServerSource } from './source.ts'
import type { Tool } from './tool.ts'

/** The tools of a server. They are listed once, so that an attempt after a crash offers the same ones. */
export async function serverTools(
  source: ToolServerSource,
  place: number,
  step: Step,
  services: NodeServices,
): Promise<Tool[]> {
  const served = await step.once(`tools-${place}`, () => list(source, step, services))
  const missing = source.tools?.filter(name => !served.some(tool => tool.name === name)) ?? []
  if (missing.length > 0) {
    // The rest of an address often holds a key.
    const host = URL.parse(source.url)?.host ?? 'of "url"'
    const message = `The tool server ${host} has no tool called ${missing.join(', ')}; correct "tools".`
    throw new StepFailure('step_failed', message)
  }
  const { url, headers } = source
  return served
    .filter(tool => source.tools?.includes(tool.name) ?? true)
    .map(tool => ({
      ...tool,
      call: async (args, { signal }) => {
        const answer = await services.toolServers.call({ url, headers }, tool.name, args, signal)
        return answer.text === '' && answer.structured !== undefined
          ? JSON.stringify(answer.structured)
          : answer.text
      },
    }))
}

async function list(source: ToolServerSource, step: Step, services: NodeServices): Promise<ServedTool[]> {
  try {
    return await services.toolServers.list(source.url, source.headers, step.signal)
  } catch (error) {
    throw stepFailureOf(error)
  }
}
