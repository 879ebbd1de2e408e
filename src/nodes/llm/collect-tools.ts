import { type Step, StepFailure } from '../../workflow/step.ts'
import type { NodeServices } from '../node-services.ts'
import { httpTool } from './http-tool.ts'
import { serverTools } from './server-tools.ts'
import type { Source } from './source.ts'
import type { Tool } from './tool.ts'
import { webSearchTool } from './web-search-tool.ts'
import { workflowTool } from './workflow-tool.ts'

/** More than this no provider takes. */
const mostTools = 128
const longestName = 64
/** Of a name that somebody else chose, which may be of any length. */
const readLength = 200

/** Everything that the model is offered, under names that every provider takes and that tell all of them apart. */
export async function collectTools(
  sources: readonly Source[],
  step: Step,
  services: NodeServices,
): Promise<Tool[]> {
  const tools = await Promise.all(sources.map((source, place) => toolsOf(source, place, step, services)))
  return renamed(tools.flat().slice(0, mostTools))
}

async function toolsOf(source: Source, place: number, step: Step, services: NodeServices): Promise<Tool[]> {
  if (source.type === 'http') return [httpTool(source, services)]
  if (source.type === 'workflow') return [workflowTool(source, step)]
  if (source.type === 'mcp') return serverTools(source, place, step, services)
  if (source.type !== 'web_search') return []
  if (services.webSearch) return [webSearchTool(services.webSearch)]
  const message = 'Web search is not set up: set WEB_SEARCH_URL to the address of a SearXNG server.'
  throw new StepFailure('not_configured', message)
}

function renamed(tools: readonly Tool[]): Tool[] {
  const taken = new Set<string>()
  return tools.map((tool, place) => {
    const name = freeName(safeName(tool.name) || `tool_${place + 1}`, taken)
    taken.add(name)
    return { ...tool, name }
  })
}

const safeName = (name: string): string =>
  name
    .slice(0, readLength)
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, longestName)

function freeName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 2, free = name; ; number += 1) {
    if (!taken.has(free)) return free
    const end = `_${number}`
    free = name.slice(0, longestName - end.length) + end
  }
}
