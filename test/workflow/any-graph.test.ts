import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { atOnce } from '../../src/kernel/slices.ts'
import { nodeKinds } from '../../src/nodes/registry.ts'
import type { Graph } from '../../src/workflow/graph.ts'
import { outlineGraph } from '../../src/workflow/outline-graph.ts'
import { refuseGraph } from '../../src/workflow/refuse-graph.ts'
import { warnGraph } from '../../src/workflow/warn-graph.ts'
import { rounds } from '../support/rounds.ts'
import { withBranching } from './branching-kind.ts'
import { edge, furtherNodes, node, orderingGraph } from './graphs.ts'

const kinds = withBranching(nodeKinds)

/** Returns whether the value is a graph, and checks that nothing throws and nothing outside is modified. */
function checkAny(value: unknown): boolean {
  const before = JSON.stringify(value)
  const findings = atOnce(refuseGraph(value, kinds, '/workflow'))
  for (const { path, message } of findings) {
    assert.ok(path === '/workflow' || path.startsWith('/workflow/'))
    assert.ok(message.length > 0 && message.length < 600)
  }
  if (findings.length === 0) {
    for (const { path, message } of atOnce(warnGraph(value as Graph, kinds, '/workflow'))) {
      assert.ok(path.startsWith('/workflow/'))
      assert.ok(message.length > 0 && message.length < 1500)
    }
  }
  assert.doesNotThrow(() => JSON.stringify(atOnce(outlineGraph(value, kinds))))
  assert.equal(JSON.stringify(value), before)
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined)
  return findings.length === 0
}

const key = fc.constantFrom(
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'nodes', 'edges', 'id', 'type'],
  ...[
    'data',
    'case',
    'cases',
    'source',
    'target',
    'cell',
    'port',
    'parameters',
    'options',
    'name',
    'title',
    '',
  ],
)
const leaf = fc.oneof(
  fc.constantFrom(
    null,
    true,
    0,
    '',
    'input',
    'end',
    'llm',
    'branch',
    '__proto__',
    '{{#a.b#}}',
    '{{#__proto__.x#}}',
  ),
  fc.string({ unit: 'binary' }),
  fc.double(),
)
const { value: hostileValue } = fc.letrec(tie => ({
  value: fc.oneof({ maxDepth: 5 }, leaf, tie('list'), tie('record')),
  list: fc.array(tie('value'), { maxLength: 4 }),
  // Through text, since only JSON.parse creates an own key `__proto__`.
  record: fc.array(fc.tuple(key, tie('value')), { maxLength: 5 }).map(entries => {
    const members = entries.map(
      ([name, member]) => `${JSON.stringify(name)}:${JSON.stringify(member) ?? 'null'}`,
    )
    return JSON.parse(`{${members.join(',')}}`)
  }),
}))

test('never throws for any JSON value', () => {
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), hostileValue), value => {
      checkAny(value)
      checkAny({ nodes: value, edges: value })
      checkAny({ nodes: [value], edges: [value] })
      checkAny({ nodes: [{ id: 'a', type: 'base', data: value }], edges: [] })
    }),
    { numRuns: rounds(250) },
  )
})

/** Every path inside a JSON value, as keys from the root. */
function listPlaces(value: unknown, place: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [place]
  return [place, ...Object.entries(value).flatMap(([name, member]) => listPlaces(member, [...place, name]))]
}

function replaceAt(value: unknown, [name, ...rest]: readonly string[], replacement: unknown): unknown {
  if (name === undefined) return replacement
  const copy = structuredClone(value) as Record<string, unknown>
  copy[name] = replaceAt(copy[name], rest, replacement)
  return copy
}

test('never throws for a valid graph with any value inserted anywhere', () => {
  const base = orderingGraph()
  const valid = {
    nodes: [...base.nodes, node('if', 'branch', { cases: ['x', 'y'] }), ...furtherNodes()],
    edges: [...base.edges, edge('input', 'if'), edge('if', 'model', 'x')],
  }
  const places = listPlaces(valid)
  let accepted = 0
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...places), hostileValue), { minLength: 1, maxLength: 2 }),
      changes => {
        let changed: unknown = valid
        for (const [place, replacement] of changes) {
          try {
            changed = replaceAt(changed, place, replacement)
          } catch {
            // The previous change removed this path.
          }
        }
        if (checkAny(changed)) accepted += 1
      },
    ),
    { numRuns: rounds(500) },
  )
  assert.ok(accepted > rounds(8), `only ${accepted} changed graphs reached the warnings`)
})

test('treats names of inherited properties as plain data', () => {
  const text = `{"__proto__":{"polluted":true},
    "nodes":[{"id":"__proto__","type":"base","data":{"type":"output","answer":"{{#constructor.polluted#}}",
      "__proto__":{"polluted":true}}},
      {"id":"constructor","type":"base","data":{"type":"${'multimodal_dialogue_and_information_extractor'}",
      "parameters":[{"name":"__proto__","type":"select","options":{"__proto__":"polluted"}}]}}],
    "edges":[{"source":{"cell":"constructor","port":"out.constructor"},
      "target":{"cell":"__proto__","port":"in.__proto__"},"data":{"__proto__":{"case":"x"}}}]}`
  assert.ok(checkAny(JSON.parse(text)))
})
