import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ConvertedApp, convertApp } from '../../src/import/dify/convert-app.ts'
import { parseYaml } from '../../src/kernel/parse-yaml.ts'
import { atOnce } from '../../src/kernel/slices.ts'
import type { GraphNode } from '../../src/workflow/graph.ts'

/** A small app of the folder `apps`. */
export const appText = (name: string): string =>
  readFileSync(join(import.meta.dirname, 'apps', `${name}.yml`), 'utf8')

export function convert(text: string, knowledge: Record<string, string> = {}): ConvertedApp {
  let count = 0
  const options = { knowledge: new Map(Object.entries(knowledge)), mintId: () => `wf_${++count}` }
  return convertApp(atOnce(parseYaml(text)), 'wf_main', options)
}

/** Settings of a node of the main workflow, or of the given one. */
export function dataOfNode({ workflow }: Pick<ConvertedApp, 'workflow'>, id: string): GraphNode['data'] {
  const found = workflow.graph.nodes.find(each => each.id === id)
  if (!found) throw new Error(`There is no node ${id}`)
  return found.data
}

/** An app of the mode workflow with the given nodes in a row, between a start and an end. */
export const appWith = (...nodes: { id: string; data: object }[]): string => {
  const row = [
    {
      id: 's',
      data: { type: 'start', title: 'Start', variables: [{ variable: 'files_in', type: 'file-list' }] },
    },
    ...nodes,
    { id: 'e', data: { type: 'end', title: 'End', outputs: [] } },
  ]
  const edges = row
    .slice(1)
    .map((each, index) => ({ source: row[index]!.id, target: each.id, sourceHandle: 'source' }))
  return JSON.stringify({
    app: { name: 'Small', mode: 'workflow' },
    kind: 'app',
    version: '0.5.0',
    workflow: { graph: { nodes: row, edges }, environment_variables: [], conversation_variables: [] },
  })
}
