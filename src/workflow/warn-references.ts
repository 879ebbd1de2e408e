import { declaredIn, findKind, type Graph, isDisabled } from './graph.ts'
import { outputNames } from './graph-links.ts'
import { fieldsOf, type KindRegistry } from './node-kind.ts'
import {
  DottedNames,
  findReferences,
  findUnmarked,
  type Reference,
  type ReferenceSource,
  resolveReference,
  systemNames,
} from './references.ts'
import type { RunOrder } from './run-order.ts'
import { findTemplates } from './shape.ts'
import { clip, showNames, showValue } from './show-value.ts'
import type { Warn } from './warning.ts'

interface CheckedGraph {
  readonly graph: Graph
  readonly kinds: KindRegistry
  readonly places: ReadonlyMap<string, number>
  /** Undefined for a graph with a cycle: nothing in it runs before anything else. */
  readonly runOrder: RunOrder | undefined
  /** The names of the workspace's secrets; undefined where they are not checked. */
  readonly secrets: SecretCheck | undefined
  readonly warn: Warn
}

export interface SecretCheck {
  readonly names: ReadonlySet<string>
  /** The graph was made elsewhere, and its author must not use the secrets of this workspace unseen. */
  readonly isForeign: boolean
}

/** The node that a template belongs to, and whether the template allows for skipped nodes. */
interface Reader {
  readonly place: number
  readonly maySkip: boolean
}

/** Checks the references in a graph's templates before any run. */
export class ReferenceChecker {
  readonly #checked: CheckedGraph
  readonly #nodeIds: DottedNames
  /** The names of `env.…`. */
  readonly #environment: ReadonlySet<string>
  /** The outputs of each node, computed once; null: any name is possible. */
  readonly #outputs = new Map<number, DottedNames | null>()
  /** The list of the outputs of each node for messages, computed once. */
  readonly #offers = new Map<number, string>()

  constructor(checked: CheckedGraph) {
    this.#checked = checked
    this.#nodeIds = new DottedNames(checked.places.keys())
    this.#environment = new Set(Object.keys(declaredIn(checked.graph, checked.kinds).environment))
  }

  checkNode(place: number, path: string): void {
    const { graph, kinds } = this.#checked
    const { data } = graph.nodes[place]!
    const kind = isDisabled(graph.nodes[place]!) ? undefined : findKind(data, kinds)
    for (const template of kind ? findTemplates(data, fieldsOf(kind)) : []) {
      const { pointer, text, allowsSecrets, maySkip, local } = template
      const seen = new Set<string>()
      for (const reference of findReferences(text)) {
        if (seen.has(reference.text)) continue
        seen.add(reference.text)
        const at = `${path}/data${pointer}`
        const source = reference.malformed ? undefined : resolveReference(reference, this.#nodeIds)
        if (source && reference.path[0] === local) continue
        if (source?.from === 'secret') this.#checkSecret(clip(reference.text), source.name, allowsSecrets, at)
        else this.#checkReference(reference, source, { place, maySkip }, at)
      }
      for (const found of findUnmarked(text)) this.#checkUnmarked(found, `${path}/data${pointer}`)
    }
  }

  /** Warns only if the text would be a reference with its marks: other template languages use the same braces. */
  #checkUnmarked(found: Reference, path: string): void {
    const source = found.malformed ? undefined : resolveReference(found, this.#nodeIds)
    const isKnown =
      source?.from === 'node' ||
      (source?.from === 'sys' && systemNames.has(source.name)) ||
      (source?.from === 'env' && this.#environment.has(source.name))
    if (!isKnown) return
    const message = `${clip(found.text)} stays as it is; write {{#${clip(found.path.join('.'))}#}} to insert the value.`
    this.#checked.warn('reference_unmarked', path, message)
  }

  /** A secret must not reach a model or a user, so it is allowed only in what is sent to another server. */
  #checkSecret(shown: string, name: string, isAllowed: boolean, path: string): void {
    const { secrets, warn } = this.#checked
    if (!isAllowed) {
      const places =
        'the URL, headers, query, body, form and arguments of http_request, mcp, and HTTP and MCP tools'
      const message = `${shown}: a secret would be shown to a model or a user here. Use it in requests only: ${places}.`
      warn('secret_not_allowed', path, message)
    } else if (secrets && !secrets.names.has(name)) {
      const message = `${shown}: there is no secret ${showValue(name)}. Add it in Secrets, or send it with POST /api/v1/secret/set.`
      warn('secret_unknown', path, message)
    } else if (secrets?.isForeign) {
      const message = `${shown} sends the secret ${showValue(name)} of this workspace. Check where to before you run it.`
      warn('secret_used', path, message)
    }
  }

  #checkReference(
    reference: Reference,
    source: ReferenceSource | undefined,
    reader: Reader,
    path: string,
  ): void {
    const { places, warn } = this.#checked
    const shown = clip(reference.text)
    if (source === undefined) {
      const message = `${shown} is no whole reference; write it as {{#node_id.output_name#}}.`
      return void warn('reference_malformed', path, message)
    }
    if (source.from === 'nowhere') {
      const message = `${shown} refers to a node that does not exist; use the id of a node, or "sys".`
      warn('reference_unknown_node', path, message)
    } else if (source.from === 'sys' && !systemNames.has(source.name)) {
      const offer = [...systemNames].join(', ')
      const message = `${shown}: "sys" has no ${showValue(source.name)}; it has ${offer}.`
      warn('reference_unknown_output', path, message)
    } else if (source.from === 'env' && !this.#environment.has(source.name)) {
      const names = this.#environment.size === 0 ? '' : ` It has ${showNames([...this.#environment])}.`
      const message = `${shown}: this workflow has no environment value ${showValue(source.name)}; add it in the input node.${names}`
      warn('reference_unknown_output', path, message)
    } else if (source.from === 'node') {
      const other = places.get(source.nodeId)!
      if (other !== reader.place && isDisabled(this.#checked.graph.nodes[other]!)) {
        const message = `${shown} is always an empty text: node ${showValue(source.nodeId)} is disabled. Enable it, or remove the reference.`
        return void warn('reference_disabled', path, message)
      }
      this.#checkOrder(shown, other, reader, path)
      if (other !== reader.place) this.#checkOutput(shown, other, source.rest, path)
    }
  }

  #checkOrder(shown: string, other: number, { place, maySkip }: Reader, path: string): void {
    const { graph, runOrder, warn } = this.#checked
    if (runOrder === undefined || runOrder.surelyRanBefore(other, place)) return
    const name = showValue(graph.nodes[other]!.id)
    if (other === place) {
      const message = `${shown} refers to its own node; use the output of a node that runs before it.`
      warn('reference_not_before', path, message)
    } else if (runOrder.isBefore(other, place)) {
      if (maySkip) return
      const message = `${shown} is an empty text in runs that skip node ${name}.`
      warn('reference_may_be_skipped', path, message)
    } else {
      const message = `${shown}: node ${name} does not run before this one; connect it to here by edges.`
      warn('reference_not_before', path, message)
    }
  }

  #checkOutput(shown: string, other: number, rest: string, path: string): void {
    const outputs = this.#outputsOf(other)
    // Output names may contain dots too, and a path into the output may follow.
    if (outputs === null || outputs.longestStartOf(`${rest}.`) !== undefined) return
    const name = showValue(this.#checked.graph.nodes[other]!.id)
    const message = `${shown}: node ${name} has no such output; ${this.#offerOf(other, outputs)}.`
    this.#checked.warn('reference_unknown_output', path, message)
  }

  #offerOf(place: number, { names }: DottedNames): string {
    let offer = this.#offers.get(place)
    if (offer === undefined) {
      offer = names.size === 0 ? 'it has none' : `it has ${showNames([...names])}`
      this.#offers.set(place, offer)
    }
    return offer
  }

  #outputsOf(place: number): DottedNames | null {
    let outputs = this.#outputs.get(place)
    if (outputs === undefined) {
      const { graph, kinds } = this.#checked
      const { data } = graph.nodes[place]!
      const kind = findKind(data, kinds)
      const names = kind && outputNames(kind, data)
      outputs = names === undefined ? null : new DottedNames(names)
      this.#outputs.set(place, outputs)
    }
    return outputs
  }
}
