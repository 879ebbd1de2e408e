import { followRenames } from './align-graphs.ts'
import { applyEdit, invertEdit, placeOf, samePoint } from './apply-edit.ts'
import type { Drawing, Edit } from './edit.ts'
import type { Graph, Positions } from './graph.ts'
import { resolveMerge } from './merge-graphs.ts'
import { isRecord, member, memberNames } from './same-json.ts'
import { mergeShapes, noShapes } from './shapes.ts'

const maxSteps = 200
/** After a pause this long, the next edit starts a new undo step. */
const groupPause = 1000

interface Step {
  /** Reverts the step, from `after` to the state before. */
  readonly inverse: Edit
  readonly after: Drawing
  readonly group: string | undefined
}

/** The undo and redo stacks. */
export class EditorHistory {
  #done: Step[] = []
  #undone: Step[] = []
  /** Reset by anything that happens between two edits of a group. */
  #openGroup: string | undefined
  #lastTime = 0
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  get canUndo(): boolean {
    return this.#done.length > 0
  }

  get canRedo(): boolean {
    return this.#undone.length > 0
  }

  record(before: Drawing, edit: Edit, after: Drawing, group: string | undefined): void {
    const last = this.#done.at(-1)
    const now = this.#now()
    // Adding or removing a row is always a step of its own.
    const isOwnStep = group !== undefined && changesLists(before.graph, after.graph)
    const isSoon = now - this.#lastTime <= groupPause && !isOwnStep
    const goesOn = group !== undefined && group === this.#openGroup && last !== undefined && isSoon
    this.#lastTime = now
    const inverse = goesOn ? last.inverse : invertEdit(before, edit)
    if (goesOn) this.#done.pop()
    this.#done.push({ inverse, after, group })
    if (this.#done.length > maxSteps) this.#done.shift()
    this.#undone = []
    this.#openGroup = isOwnStep ? undefined : group
  }

  /** A renamed node keeps its history: earlier steps get the new id. */
  rename(id: string, to: string): void {
    const inEdit = (edit: Edit): Edit => {
      if (edit.type !== 'graph.replace') return edit
      const { graph, positions = {}, shapes = noShapes } = edit
      const before = { graph, positions, shapes }
      return { type: 'graph.replace', ...applyEdit(before, { type: 'node.rename', id, to }) }
    }
    const inStep = ({ inverse, after, group }: Step): Step => ({
      inverse: inEdit(inverse),
      after: applyEdit(after, { type: 'node.rename', id, to }),
      group,
    })
    this.#done = this.#done.map(inStep)
    this.#undone = this.#undone.map(inStep)
    this.#openGroup = undefined
  }

  endGroup(): void {
    this.#openGroup = undefined
  }

  undo(current: Drawing): Drawing {
    return this.#take(current, this.#done, this.#undone)
  }

  redo(current: Drawing): Drawing {
    return this.#take(current, this.#undone, this.#done)
  }

  clear(): void {
    this.#done = []
    this.#undone = []
    this.#openGroup = undefined
  }

  #take(current: Drawing, from: Step[], to: Step[]): Drawing {
    this.#openGroup = undefined
    const step = from.pop()
    if (!step) return current
    const next = takeBack(current, step)
    to.push({
      inverse: invertEdit(current, { type: 'graph.replace', ...next }),
      after: next,
      group: step.group,
    })
    return next
  }
}

/** If changes of others arrived since the step, only the step itself is reverted and theirs stay. */
function takeBack(current: Drawing, { inverse, after }: Step): Drawing {
  const before = applyEdit(after, inverse)
  if (current.graph === after.graph) return takeBackLayout(before.graph, after, current, before)
  // Only follows renames, unlike `alignGraphs`: a node that the step removed and a merge has kept is one node.
  const { base, mine, theirs, renamed } = followRenames(after.graph, current.graph, before.graph)
  const follow = (drawing: Drawing): Drawing =>
    renamed.reduce((now, [id, to]) => applyEdit(now, { type: 'node.rename', id, to }), drawing)
  return takeBackLayout(resolveMerge(base, mine, theirs, {}), follow(after), follow(current), before)
}

const takeBackLayout = (graph: Graph, after: Drawing, current: Drawing, before: Drawing): Drawing => ({
  graph,
  positions:
    current.positions === after.positions
      ? before.positions
      : mergePositions(after.positions, current.positions, before.positions),
  shapes:
    current.shapes === after.shapes
      ? (before.shapes ?? noShapes)
      : mergeShapes(after.shapes ?? noShapes, current.shapes ?? noShapes, before.shapes ?? noShapes),
})

function mergePositions(from: Positions, current: Positions, to: Positions): Positions {
  const ids = new Set([...Object.keys(current), ...Object.keys(to)])
  const places = [...ids].map(id => {
    const isStep = !samePoint(placeOf(from, id), placeOf(to, id))
    return [id, placeOf(isStep ? to : current, id)] as const
  })
  return Object.fromEntries(places.flatMap(([id, point]) => (point ? [[id, point]] : [])))
}

/** Whether any array in a node's settings has changed its length. */
function changesLists(before: Graph, after: Graph): boolean {
  return after.nodes.some((node, place) => {
    const was = before.nodes[place]
    return was !== undefined && was !== node && was.id === node.id && hasOtherLength(was.data, node.data)
  })
}

function hasOtherLength(one: unknown, other: unknown): boolean {
  if (one === other) return false
  if (Array.isArray(one) || Array.isArray(other)) {
    const [before, after] = [one, other].map(list => (Array.isArray(list) ? (list as unknown[]) : []))
    return (
      before!.length !== after!.length ||
      before!.some((element, place) => hasOtherLength(element, after![place]))
    )
  }
  if (!isRecord(one) || !isRecord(other)) return false
  return memberNames(one, other).some(name => hasOtherLength(member(one, name), member(other, name)))
}
