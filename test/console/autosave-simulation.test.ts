import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { Autosave } from '../../console/src/editor/model/autosave.ts'
import { createEditorStore } from '../../console/src/editor/model/editor-store.ts'
import { edgeKey, type Graph, makeEdge } from '../../console/src/editor/model/graph.ts'
import { mergeGraphs, resolveMerge } from '../../console/src/editor/model/merge-graphs.ts'
import { freshId } from '../../console/src/editor/model/new-node.ts'
import { chain, node } from './drawings.ts'
import { FakeWorkflowServer, type Fate } from './fake-workflow-server.ts'
import { VirtualClock } from './virtual-clock.ts'

const start = chain('input', 'a', 'b', 'end')
const fates: Fate[] = ['works', 'works', 'works', 'breaks', 'is lost']

/** Every edit writes a unique mark; a node's marks are its texts that start like one. */
const marksIn = (graph: Graph): Set<string> =>
  new Set(
    graph.nodes.flatMap(other =>
      Object.values(other.data).filter(value => `${value}`.startsWith('mark ')),
    ) as string[],
  )

/** One user with the workflow open, and their edits. */
class Person {
  readonly store = createEditorStore({ graph: start, positions: {} })
  readonly autosave: Autosave
  readonly wrote = new Set<string>()
  /** Marks that this user removed. */
  readonly removed = new Set<string>()
  /** Marks that an undo or redo restored. */
  readonly restored = new Set<string>()
  /** Marks in conflicts that this user resolved: any of them may exist or not. */
  readonly decided = new Set<string>()
  readonly #name: string
  #count = 0

  constructor(name: string, server: FakeWorkflowServer) {
    this.#name = name
    this.autosave = new Autosave(this.store, { graph: start, version: 1 }, server.ports())
  }

  act(kind: number, which: number): void {
    const before = marksIn(this.store.state().graph)
    this.#edit(kind, which)
    const after = marksIn(this.store.state().graph)
    for (const mark of after) {
      if (before.has(mark)) continue
      if (this.wrote.has(mark) || this.removed.delete(mark)) this.restored.add(mark)
      this.wrote.add(mark)
    }
    for (const mark of before) if (!after.has(mark)) this.removed.add(mark)
  }

  #edit(kind: number, which: number): void {
    const { store } = this
    const { nodes } = store.state().graph
    const { id, data } = nodes[which % nodes.length]!
    const fresh = freshId(store.state().graph, 'llm')
    const position = { x: 0, y: 0 }
    const mark = `mark ${this.#name}${++this.#count}`
    const change = (name: string) => store.edit({ type: 'node.change', id, data: { ...data, [name]: mark } })
    const edits = [
      // Both count up from the same number.
      () => store.edit({ type: 'node.add', node: node(fresh, { type: 'llm', title: mark }), position }),
      () => change(`note ${mark}`),
      () => change('title'),
      () => store.edit({ type: 'node.remove', id: id === 'input' ? '' : id }),
      () => store.edit({ type: 'edge.add', edge: makeEdge('input', id, mark) }),
      () => store.undo(),
      () => store.redo(),
    ]
    edits[kind]!()
  }

  /** Resolves open conflicts. */
  settle(coin: () => boolean): void {
    const { conflict } = this.autosave.state()
    if (!conflict) return
    const { base, theirs } = conflict
    const mine = this.store.state().graph
    const { conflicts } = mergeGraphs(base, mine, theirs)
    const picks = conflicts.map(({ id }) => [id, coin() ? ('mine' as const) : ('theirs' as const)])
    const graph = resolveMerge(base, mine, theirs, Object.fromEntries(picks))
    const sides = conflicts.flatMap(conflict =>
      conflict.of === 'node' ? [conflict.base, conflict.mine, conflict.theirs] : [],
    )
    const marks = marksIn({ nodes: sides.filter(side => side !== undefined), edges: [] })
    const stays = marksIn(graph)
    // Changes without a conflict are kept for any resolution, so only removed marks may be missing.
    for (const mark of marks) {
      if (!stays.has(mark) || !marksIn(mine).has(mark) || !marksIn(theirs).has(mark)) this.decided.add(mark)
    }
    // Over a bad connection it may fail, and is resolved again.
    void this.autosave.resolve(Object.fromEntries(picks)).catch(() => {})
  }
}

const anyAct = fc.record({
  who: fc.integer({ min: 0, max: 1 }),
  kind: fc.integer({ min: 0, max: 6 }),
  which: fc.nat(20),
  pause: fc.constantFrom(0, 100, 900, 3000, 10_000),
})

test('two users save over a bad connection, and no edit is lost', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyAct, { minLength: 3, maxLength: 30 }),
      fc.infiniteStream(fc.nat(1000)),
      async (acts, chance) => {
        const draw = (): number => chance.next().value!
        const clock = new VirtualClock()
        const server = new FakeWorkflowServer(start, clock)
        server.fate = () => fates[draw() % fates.length]!
        server.latency = () => draw() * 2
        const people = [new Person('A', server), new Person('B', server)]
        const settleAll = () => {
          for (const person of people) person.settle(() => draw() % 2 === 0)
        }
        for (const { who, kind, which, pause } of acts) {
          people[who]!.act(kind, which)
          await clock.pass(pause)
          settleAll()
        }
        server.fate = () => 'works'
        const isBusy = () =>
          clock.pending > 0 || people.some(({ autosave }) => autosave.state().status !== 'saved')
        for (let round = 0; isBusy(); round++) {
          assert.ok(round < 50, people.map(({ autosave }) => autosave.state().status).join())
          await clock.pass(60_000)
          settleAll()
        }
        expectNothingLost(server.graph, people)
        for (const { store, autosave } of people) {
          assert.deepEqual(store.state().graph, server.versions[autosave.state().version - 1])
        }
      },
    ),
    { numRuns: 150 },
  )
})

function expectNothingLost(stored: Graph, people: readonly Person[]): void {
  const marks = marksIn(stored)
  const some = (has: (person: Person) => boolean): boolean => people.some(has)
  for (const mark of people.flatMap(({ wrote }) => [...wrote])) {
    if (some(({ decided }) => decided.has(mark))) continue
    const isRemoved = some(({ removed }) => removed.has(mark))
    if (!isRemoved) assert.ok(marks.has(mark), `${mark} is lost`)
    else if (!some(({ restored }) => restored.has(mark))) assert.ok(!marks.has(mark), `${mark} is back`)
  }
  const ids = new Set(stored.nodes.map(({ id }) => id))
  assert.equal(ids.size, stored.nodes.length)
  assert.equal(new Set(stored.edges.map(edgeKey)).size, stored.edges.length)
  for (const { source, target } of stored.edges) assert.ok(ids.has(source.cell) && ids.has(target.cell))
}
