import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { atOnce } from '../../src/kernel/slices.ts'
import { nodeKinds } from '../../src/nodes/registry.ts'
import type { GraphNode } from '../../src/workflow/graph.ts'
import { refuseGraph } from '../../src/workflow/refuse-graph.ts'
import { warnGraph } from '../../src/workflow/warn-graph.ts'
import { isRunnable } from '../../src/workflow/warning.ts'
import { edge, graph, node } from '../workflow/graphs.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/workflows.md'), 'utf8')
const examples = [
  ...page.slice(page.indexOf('## Node kinds by example')).matchAll(/```json\n([\s\S]*?)```/g),
].map(match => JSON.parse(match[1]!) as GraphNode)
const kindOf = ({ data }: GraphNode): string => String(data['type'])

describe('the examples of docs/workflows.md', () => {
  for (const example of examples)
    it(`${kindOf(example)} is runnable as documented`, () => {
      const whole = graph(
        [node('input', 'input'), example, node('end', 'end')],
        [edge('input', example.id), edge(example.id, 'end')],
      )
      assert.deepEqual(atOnce(refuseGraph(whole, nodeKinds, '')), [])
      const warnings = atOnce(warnGraph(whole, nodeKinds, ''))
      assert.ok(isRunnable(warnings), JSON.stringify(warnings))
      assert.equal(example.type, nodeKinds.get(kindOf(example))?.nodeType)
    })

  it('show every kind except those that need no example', () => {
    const hidden = [...nodeKinds.values()].filter(({ isHidden }) => isHidden).map(({ kind }) => kind)
    const shown = new Set([...examples.map(kindOf), ...hidden, 'input', 'end'])
    assert.deepEqual(
      [...nodeKinds.keys()].filter(kind => !shown.has(kind)),
      [],
    )
  })
})
