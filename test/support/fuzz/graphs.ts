import { edge, extractorKind, graph, node, orderingGraph } from '../../workflow/graphs.ts'
import { edgeCaseString, edgeCaseValue } from './edge-cases.ts'
import { places, setAt } from './json-places.ts'
import type { Random } from './random.ts'

const plainGraph = (): unknown => graph([node('input', 'input'), node('end', 'end')], [edge('input', 'end')])

const chainGraph = (random: Random): unknown => {
  const names = ['input', ...Array.from({ length: 1 + random.below(12) }, (_, at) => `llm_${at}`), 'end']
  const nodes = names.map(name =>
    name === 'input' || name === 'end'
      ? node(name, name)
      : node(name, 'llm', { prompt_template: `{{#${random.pick(names)}.text#}}`, '数据源/API工具': [] }),
  )
  return graph(
    nodes,
    names.slice(1).map((name, at) => edge(names[at]!, name)),
  )
}

const unusualGraph = (random: Random): unknown =>
  graph(
    [
      node(edgeCaseString(random) || 'x', 'unknown_kind', { anything: edgeCaseValue(random) }),
      node('form', extractorKind, {
        id: 'form',
        parameters: [],
        instruction: edgeCaseString(random),
        role: '',
      }),
      node('say', 'output', { answer: `${edgeCaseString(random)}{{#form.x#}}` }),
    ],
    [edge('form', 'say')],
  )

/** A graph that can be stored, though possibly not run. */
export function validGraph(random: Random): unknown {
  switch (random.weighted({ plain: 3, ordering: 2, chain: 2, strange: 2, empty: 1 })) {
    case 'plain':
      return plainGraph()
    case 'ordering':
      return orderingGraph()
    case 'chain':
      return chainGraph(random)
    case 'strange':
      return unusualGraph(random)
    case 'empty':
      return graph([])
  }
}

interface LooseGraph {
  nodes: unknown[]
  edges: unknown[]
}

/** A graph with one or a few mutations: lists cut, duplicated, crossed over, and values swapped anywhere. */
export function brokenGraph(random: Random): unknown {
  const broken = structuredClone(validGraph(random)) as LooseGraph
  for (let errors = 1 + random.below(3); errors > 0; errors--) {
    const list = random.chance(0.5) ? broken.nodes : broken.edges
    if (!Array.isArray(list)) break
    const at = random.below(list.length + 1)
    switch (
      random.weighted({ value: 6, remove: 1, double: 2, cross: 2, odd: 2, loop: 1, many: 0.3, nowhere: 1 })
    ) {
      case 'value':
        setAt(broken, random.pick(places(broken)), edgeCaseValue(random))
        break
      case 'remove':
        list.splice(at, 1)
        break
      case 'double':
        if (list.length > 0) list.splice(at, 0, structuredClone(random.pick(list)))
        break
      case 'cross':
        if (list.length > 0)
          (random.chance(0.5) ? broken.nodes : broken.edges).push(structuredClone(random.pick(list)))
        break
      case 'odd':
        list.splice(at, 0, edgeCaseValue(random))
        break
      case 'loop':
        broken.edges.push(edge('end', 'input'), edge('input', 'input'))
        break
      case 'nowhere':
        broken.edges.push(edge(edgeCaseString(random), 'end'))
        break
      case 'many':
        for (let count = 0; count < 2100; count++) broken.nodes.push(node(`n${count}`, 'llm'))
        break
    }
    if (!Array.isArray(broken.nodes) || !Array.isArray(broken.edges)) break
  }
  return broken
}
