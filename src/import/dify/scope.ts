import { UniqueNames } from '../../kernel/unique-names.ts'
import type { DifyNode } from './app.ts'
import type { Conversion } from './conversion.ts'
import { outputPath, type Use } from './outputs.ts'
import { asText, namedIn, recordsAt, textAt } from './read.ts'

const maxPathLength = 500
export const referenceForm = new RegExp(`\\{\\{#([^#{}\\r\\n]{1,${maxPathLength}})#\\}\\}`, 'g')

/** What Dify calls them, and what we do. */
const systemValues: Readonly<Record<string, string>> = {
  query: 'sys.query',
  files: 'sys.files',
  conversation_id: 'sys.conversation_id',
  user_id: 'sys.user_id',
  app_id: 'sys.agent_id',
  workflow_run_id: 'sys.run_id',
  timestamp: 'sys.time',
}

/** The references in one graph. An iteration or a loop is another graph, which gets outer values as inputs. */
export class Scope {
  readonly conversion: Conversion
  readonly outer: Scope | undefined
  /** The iteration or loop whose nodes these are. */
  readonly container: DifyNode | undefined
  /** Inputs of the inner workflow: values of the outer one by name. */
  readonly passed = new Map<string, string>()
  /** The variables of a loop are inputs, too. */
  readonly #inputNames: UniqueNames
  /** Variables of the file that its nodes refer to, which its input node must declare. */
  readonly usedEnvironment = new Set<string>()
  readonly usedMemory = new Set<string>()

  constructor(conversion: Conversion, inside?: { outer: Scope; container: DifyNode }) {
    this.conversion = conversion
    this.outer = inside?.outer
    this.container = inside?.container
    const variables = recordsAt(this.container?.data ?? {}, 'loop_variables')
    this.#inputNames = new UniqueNames(variables.map(each => textAt(each, 'label')))
  }

  /** Rewrites the references in a text; a reference to nothing is removed and noted. */
  text(user: DifyNode, text: string): string {
    return text.replace(referenceForm, (_, path: string) =>
      this.#reference(user, path.trim().split('.'), 'text'),
    )
  }

  /** The reference for a selector; empty if it refers to nothing, which is noted. */
  value(user: DifyNode, selector: unknown, use: Use = 'value'): string {
    const parts = Array.isArray(selector) ? selector.map(asText) : []
    if (parts.length === 0) return ''
    return this.#reference(user, parts, use)
  }

  #reference(user: DifyNode, selector: readonly string[], use: Use): string {
    const path = this.path(user, selector, use)
    if (path !== undefined && path.length <= maxPathLength) return `{{#${path}#}}`
    const reference = `{{#${selector.join('.').slice(0, 200)}#}}`
    this.conversion.note(user, 'reference_removed', { reference })
    return ''
  }

  /** The path of our reference, without its marks. */
  path(user: DifyNode, selector: readonly string[], use: Use): string | undefined {
    const [head = '', ...rest] = selector
    // A system value is also referred to as an output of the start node.
    const second = rest[0] ?? ''
    if (second.startsWith('sys.')) return this.path(user, [...second.split('.'), ...rest.slice(1)], use)
    if (head === 'sys') return this.#system(user, rest)
    if (head === 'env') return this.#environment(rest)
    if (head === 'conversation') return this.#memory(rest)
    const node = this.conversion.nodes.get(head)
    return node && this.#output(user, node, rest, use)
  }

  #system(user: DifyNode, [name = '', ...rest]: readonly string[]): string | undefined {
    if (name === 'dialogue_count') return this.#memory([this.conversion.countTurns(user)])
    const known = namedIn(systemValues, name)
    if (known === undefined) return undefined
    if (name === 'app_id') this.conversion.note(user, 'app_id')
    if (name === 'timestamp') this.conversion.note(user, 'start_time')
    // Inside an iteration, the message is the item.
    if (this.outer && name === 'query') return this.#pass(this.outer.#system(user, ['query', ...rest])!)
    return [known, ...rest].join('.')
  }

  #environment([name = '', ...rest]: readonly string[]): string | undefined {
    const secret = this.conversion.secrets.get(name)
    if (secret !== undefined) return `secret.${secret}`
    const declared = this.conversion.environment.get(name)
    if (!declared) return undefined
    this.usedEnvironment.add(name)
    return ['env', declared.name, ...rest].join('.')
  }

  #memory([name = '', ...rest]: readonly string[]): string | undefined {
    const declared = this.conversion.memory.get(name)
    if (!declared) return undefined
    this.usedMemory.add(name)
    return ['memory', declared.name, ...rest].join('.')
  }

  #output(user: DifyNode, node: DifyNode, rest: readonly string[], use: Use): string | undefined {
    if (node.id === this.container?.id) return this.#ofContainer(node, rest)
    if (node.parentId === this.container?.id) {
      const path = outputPath(this.conversion, node, rest, use)
      return path && [this.conversion.idOf(node), ...path].join('.')
    }
    const outside = this.outer?.path(user, [node.id, ...rest], use)
    return outside === undefined ? undefined : this.#pass(outside)
  }

  /** The item of an iteration, or a variable of a loop. */
  #ofContainer(container: DifyNode, [name = '', ...rest]: readonly string[]): string | undefined {
    if (container.type === 'iteration')
      return name === 'item' || name === 'index' ? ['sys', name, ...rest].join('.') : undefined
    if (!recordsAt(container.data, 'loop_variables').some(each => textAt(each, 'label') === name))
      return undefined
    return [...loopVariable(this.conversion, container, name), ...rest].join('.')
  }

  /** A value from outside, as an input of this workflow. Secrets and conversation variables need no passing. */
  #pass(outside: string): string {
    if (/^(secret|memory)\./.test(outside)) return outside
    const wanted = outside.replace(/^sys\.inputs\./, '').replace(/[^A-Za-z0-9_-]/g, '_')
    // The paths 1.a.b and 1.a_b are two values.
    const name = this.#inputNames.nameOf(outside, wanted)
    this.passed.set(name, `{{#${outside}#}}`)
    return `sys.inputs.${name}`
  }
}

/** A variable of a loop that its nodes assign is in memory during a round; the others are inputs of the round. */
export const loopVariable = (conversion: Conversion, loop: DifyNode, name: string): [string, string] =>
  conversion.isAssigned(loop, name) ? ['memory', `${conversion.idOf(loop)}_${name}`] : ['sys.inputs', name]
