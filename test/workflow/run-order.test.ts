import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import {
  findReachable,
  findTopologicalOrder,
  type GraphLinks,
  linkGraph,
} from '../../src/workflow/graph-links.ts'
import { findRunOrder } from '../../src/workflow/run-order.ts'
import { rounds } from '../support/rounds.ts'
import { edge, graph, node } from './graphs.ts'

type Cases = Readonly<Record<string, readonly string[]>>

/**
 * Builds a graph from edges written as `a b` or `a b case`. The first node starts the run. `cases` lists those of
 * branching nodes.
 */
function analyse(lines: readonly string[], cases: Cases = {}) {
  const edges = lines.map(line => edge(...(line.split(' ') as [string, string, string?])))
  const ids = [...new Set(edges.flatMap(({ source, target }) => [source.cell, target.cell]))]
  const places = new Map(ids.map((id, place) => [id, place]))
  const links = linkGraph(
    graph(
      ids.map(id => node(id, 'any')),
      edges,
    ),
    places,
  )
  const { order } = findTopologicalOrder(links)
  assert.ok(order)
  const reachable = findReachable(links, [0])
  const runOrder = findRunOrder({
    links,
    order,
    starts: [0],
    reachable,
    casesOf: place => cases[ids[place]!],
  })
  const before = (id: string, ask: 'isBefore' | 'surelyRanBefore') =>
    ids.filter((_, other) => runOrder[ask](other, places.get(id)!)).join(' ')
  return {
    ancestors: (id: string) => before(id, 'isBefore'),
    sure: (id: string) => before(id, 'surelyRanBefore'),
  }
}

test('in a chain all predecessors are certain to have run, and no other nodes', () => {
  const { ancestors, sure } = analyse(['in a', 'a b', 'in x'])
  assert.equal(sure('b'), 'in a')
  assert.equal(ancestors('b'), 'in a')
  assert.equal(sure('in'), '')
})

test('at a join both sides of a diamond are certain to have run', () => {
  const { sure } = analyse(['in a', 'in b', 'a join', 'b join', 'join end'])
  assert.equal(sure('join'), 'in a b')
  assert.equal(sure('end'), 'in a b join')
  assert.equal(sure('a'), 'in')
})

test('after branches join, nodes inside them are not certain', () => {
  const { sure, ancestors } = analyse(['in if', 'if a yes', 'if b no', 'a join', 'b join'])
  assert.equal(sure('a'), 'in if')
  assert.equal(sure('join'), 'in if')
  assert.equal(ancestors('join'), 'in if a b')
})

test('two nodes of one case are certain where they join', () => {
  const { sure } = analyse(['in if', 'if a yes', 'if b yes', 'a join', 'b join', 'if c no'])
  assert.equal(sure('join'), 'in if a b')
})

test('a node that every case leads to is certain when the cases are exhaustive', () => {
  const lines = ['in if', 'if a yes', 'if b no', 'a same', 'b same', 'same last', 'in side', 'side last']
  assert.equal(analyse(lines, { if: ['yes', 'no'] }).sure('last'), 'in if same side')
  assert.equal(analyse(lines).sure('last'), 'in if side')
  assert.equal(analyse(lines, { if: ['yes', 'no', 'else'] }).sure('last'), 'in if side')
})

test('after a nested branch only the nodes of the outer case are certain', () => {
  const lines = [
    'in if',
    'if a yes',
    'if z no',
    'a if2',
    'if2 b one',
    'if2 c two',
    'b join',
    'c join',
    'z out',
    'join out',
  ]
  const { sure } = analyse(lines, { if: ['yes', 'no'], if2: ['one', 'two'] })
  assert.equal(sure('join'), 'in if a if2')
  assert.equal(sure('out'), 'in if')
})

test('an edge without a case beside a case is always live', () => {
  const { sure } = analyse(['in if', 'if a yes', 'if always', 'always join', 'a join'])
  assert.equal(sure('join'), 'in if always')
})

test('a node that never runs does not affect the nodes after it', () => {
  const { sure, ancestors } = analyse(['in a', 'a join', 'ghost join'])
  assert.equal(sure('join'), 'in a')
  assert.equal(ancestors('join'), 'in a ghost')
})

test('finds one concrete cycle, as consecutive edges', () => {
  const edges = [edge('in', 'a'), edge('a', 'b'), edge('b', 'c'), edge('c', 'a'), edge('c', 'd')]
  const ids = ['in', 'a', 'b', 'c', 'd']
  const links = linkGraph(
    graph(
      ids.map(id => node(id, 'any')),
      edges,
    ),
    new Map(ids.map((id, place) => [id, place])),
  )
  const { cycle } = findTopologicalOrder(links)
  assert.ok(cycle)
  assert.equal(cycle.length, 3)
  for (const [step, link] of cycle.entries()) assert.equal(cycle[(step + 1) % 3]!.from, link.to)
  assert.deepEqual(cycle.map(link => ids[link.from]).sort(), ['a', 'b', 'c'])
})

test('reports a self-loop as a cycle', () => {
  const links = linkGraph(graph([node('a', 'any')], [edge('a', 'a')]), new Map([['a', 0]]))
  assert.deepEqual(findTopologicalOrder(links).cycle, [{ from: 0, to: 0, edge: 0, case: undefined }])
})

interface Sample {
  readonly links: GraphLinks
  readonly starts: readonly number[]
  /** Cases of nodes with exhaustive cases; a node without such a list may choose none of its cases. */
  readonly covering: ReadonlyMap<number, readonly string[]>
}

const caseNames = ['x', 'y', 'z']

/** Small graphs whose edges lead from lower to higher positions; several nodes may start the run. */
const samples = (withCases: boolean): fc.Arbitrary<Sample> =>
  fc.integer({ min: 2, max: 9 }).chain(size => {
    const name = withCases ? fc.constantFrom(undefined, ...caseNames) : fc.constant(undefined)
    const place = fc.integer({ min: 0, max: size - 1 })
    const drawnEdges = fc.array(fc.record({ one: place, other: place, name }), { maxLength: 18 })
    const coveringPlaces = fc.array(fc.tuple(place, fc.integer({ min: 1, max: 3 })), { maxLength: 4 })
    return fc.record({ drawnEdges, coveringPlaces, extraStart: fc.boolean() }).map(drawn => {
      const seen = new Set<string>()
      const edges = drawn.drawnEdges.flatMap(({ one, other, name }) => {
        const from = Math.min(one, other)
        const to = Math.max(one, other)
        const identity = `${from} ${to} ${name}`
        if (from === to || seen.has(identity)) return []
        seen.add(identity)
        return [edge(String(from), String(to), name)]
      })
      const nodes = Array.from({ length: size }, (_, index) => node(String(index), 'any'))
      const links = linkGraph(graph(nodes, edges), new Map(nodes.map(({ id }, index) => [id, index])))
      const starts = [0, ...(drawn.extraStart ? [1] : [])].filter(
        start => links.incoming[start]!.length === 0,
      )
      const covering = new Map(drawn.coveringPlaces.map(([at, count]) => [at, caseNames.slice(0, count)]))
      return { links, starts, covering }
    })
  })

/** Every combination of choices of the branching nodes. */
function* choices({ links, covering }: Sample): Generator<ReadonlyMap<number, string | undefined>> {
  const open = links.outgoing.flatMap((outgoing, place) => {
    const named = [...new Set(outgoing.flatMap(link => (link.case === undefined ? [] : [link.case])))]
    if (named.length === 0) return []
    return [{ place, options: covering.get(place) ?? [...named, undefined] }]
  })
  const total = open.reduce((product, { options }) => product * options.length, 1)
  for (let number = 0; number < total; number += 1) {
    let rest = number
    const chosen = new Map<number, string | undefined>()
    for (const { place, options } of open) {
      chosen.set(place, options[rest % options.length])
      rest = Math.floor(rest / options.length)
    }
    yield chosen
  }
}

/** Simulates rules 2 and 3 of the engine; positions are in topological order. */
function play({ links, starts }: Sample, chosen: ReadonlyMap<number, string | undefined>): boolean[] {
  const ran: boolean[] = []
  for (let place = 0; place < links.size; place += 1) {
    const isLive = links.incoming[place]!.some(
      link => ran[link.from] && (link.case === undefined || chosen.get(link.from) === link.case),
    )
    ran.push(starts.includes(place) || isLive)
  }
  return ran
}

function orderOf(sample: Sample) {
  const { links, starts, covering } = sample
  const { order } = findTopologicalOrder(links)
  assert.ok(order)
  const reachable = findReachable(links, starts)
  return {
    reachable,
    ...findRunOrder({ links, order, starts, reachable, casesOf: place => covering.get(place) }),
  }
}

test('a node reported as certain ran before the node in every run in which the node ran', () => {
  fc.assert(
    fc.property(samples(true), sample => {
      const { surelyRanBefore, isBefore } = orderOf(sample)
      for (const chosen of choices(sample)) {
        const ran = play(sample, chosen)
        for (let node = 0; node < sample.links.size; node += 1) {
          for (let other = 0; other < sample.links.size; other += 1) {
            if (!surelyRanBefore(other, node)) continue
            assert.ok(isBefore(other, node))
            assert.ok(!ran[node] || ran[other], `${other} is certain before ${node} but did not run`)
          }
        }
      }
    }),
    { numRuns: rounds(500) },
  )
})

test('without cases every reachable ancestor is certain', () => {
  fc.assert(
    fc.property(samples(false), sample => {
      const { surelyRanBefore, isBefore, reachable } = orderOf(sample)
      for (let node = 0; node < sample.links.size; node += 1) {
        for (let other = 0; other < sample.links.size; other += 1) {
          if (reachable[node])
            assert.equal(surelyRanBefore(other, node), isBefore(other, node) && reachable[other])
        }
      }
    }),
    { numRuns: rounds(250) },
  )
})
