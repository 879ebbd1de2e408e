import { findKind, type Graph } from './graph.ts'
import { commonFields, type KindRegistry } from './node-kind.ts'
import {
  DottedNames,
  findReferences,
  type Reference,
  resolveOutput,
  resolveReference,
  systemNames,
} from './references.ts'
import type { RunOrder } from './run-order.ts'
import { findTemplates } from './shape.ts'
import { clip, showNames, showValue } from './show-value.ts'
import type { Warn } from './warning.ts'

interface Outputs {
  readonly index: DottedNames
  readonly names: readonly string[]
}

/** Checks the references in a graph's templates before any run. */
export class ReferenceChecker {
  readonly #graph: Graph
  readonly #kinds: KindRegistry
  readonly #places: ReadonlyMap<string, number>
  /** Undefined for a graph with a cycle: nothing in it runs before anything else. */
  readonly #runOrder: RunOrder | undefined
  readonly #warn: Warn
  readonly #nodeIds: DottedNames
  /** The outputs of each node, computed once; null: any name is possible. */
  readonly #outputs = new Map<number, Outputs | null>()

  constructor(
    graph: Graph,
    kinds: KindRegistry,
    places: ReadonlyMap<string, number>,
    runOrder: RunOrder | undefined,
    warn: Warn,
  ) {
    this.#graph = graph
    this.#kinds = kinds
    this.#places = places
    this.#runOrder = runOrder
    this.#warn = warn
    this.#nodeIds = new DottedNames(places.keys())
  }

  checkNode(place: number, path: string): void {
    const { data } = this.#graph.nodes[place]!
    const kind = findKind(data, this.#kinds)
    const fields = kind ? { ...commonFields, ...kind.fields } : {}
    for (const { pointer, text } of findTemplates(data, fields)) {
      const seen = new Set<string>()
      for (const reference of findReferences(text)) {
        if (seen.has(reference.text)) continue
        seen.add(reference.text)
        this.#checkReference(reference, place, `${path}/data${pointer}`)
      }
    }
  }

  #checkReference(reference: Reference, place: number, path: string): void {
    const shown = clip(reference.text)
    if (reference.malformed) {
      const message = `${shown} is no whole reference; write it as {{#node_id.output_name#}}.`
      this.#warn('reference_malformed', path, message)
      return
    }
    const source = resolveReference(reference, this.#nodeIds)
    if (source.from === 'nowhere') {
      const message = `${shown} refers to a node that does not exist; use the id of a node, or "sys".`
      this.#warn('reference_unknown_node', path, message)
    } else if (source.from === 'sys' && !systemNames.has(source.name)) {
      const offer = [...systemNames].join(', ')
      const message = `${shown}: "sys" has no ${showValue(source.name)}; it has ${offer}.`
      this.#warn('reference_unknown_output', path, message)
    } else if (source.from === 'node') {
      const other = this.#places.get(source.nodeId)!
      this.#checkOrder(shown, other, place, path)
      if (other !== place) this.#checkOutput(shown, other, source.rest, path)
    }
  }

  #checkOrder(shown: string, other: number, place: number, path: string): void {
    if (this.#runOrder === undefined || this.#runOrder.surelyRanBefore(other, place)) return
    const name = showValue(this.#graph.nodes[other]!.id)
    if (other === place) {
      const message = `${shown} refers to its own node; use the output of a node that runs before it.`
      this.#warn('reference_not_before', path, message)
    } else if (this.#runOrder.isBefore(other, place)) {
      const message = `${shown} is an empty text in runs that skip node ${name}.`
      this.#warn('reference_may_be_skipped', path, message)
    } else {
      const message = `${shown}: node ${name} does not run before this one; connect it to here by edges.`
      this.#warn('reference_not_before', path, message)
    }
  }

  #checkOutput(shown: string, other: number, rest: string, path: string): void {
    const outputs = this.#outputsOf(other)
    if (outputs === null || resolveOutput(rest, outputs.index) !== undefined) return
    const name = showValue(this.#graph.nodes[other]!.id)
    const message = `${shown}: node ${name} has no such output; ${offerOf(outputs.names)}.`
    this.#warn('reference_unknown_output', path, message)
  }

  #outputsOf(place: number): Outputs | null {
    let outputs = this.#outputs.get(place)
    if (outputs === undefined) {
      const { data } = this.#graph.nodes[place]!
      const names = findKind(data, this.#kinds)?.outputs(data)
      outputs = names === undefined ? null : { index: new DottedNames(names), names }
      this.#outputs.set(place, outputs)
    }
    return outputs
  }
}

/** Lists the valid names for a message. */
const offerOf = (names: readonly string[]): string =>
  names.length === 0 ? 'it has none' : `it has ${showNames(names)}`
