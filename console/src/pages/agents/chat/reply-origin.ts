import { type RunNode, wrote } from '../../../ui/markdown/citations.ts'
import type { ToolCall } from './chat-turns.ts'

/** The reasoning and the tool calls that led to a reply, from the trace of the run. */
export function originOf(reply: string, nodes: readonly RunNode[]) {
  const outputs = (nodes.find(node => wrote(node, reply))?.outputs ?? {}) as Record<string, unknown>
  const { reasoning, reasoning_ms: milliseconds, steps } = outputs
  const took = typeof milliseconds === 'number' ? milliseconds : undefined
  return {
    reasoning:
      typeof reasoning === 'string' && reasoning !== '' ? { text: reasoning, milliseconds: took } : undefined,
    tools: Array.isArray(steps) ? steps.flatMap(toolIn) : [],
  }
}

function toolIn(value: unknown, at: number): ToolCall[] {
  const { tool, arguments: input, result } = (value ?? {}) as Record<string, unknown>
  if (typeof tool !== 'string' || typeof result !== 'string') return []
  return [
    { call: String(at), tool, status: result.startsWith('failed: ') ? 'failed' : 'done', input, result },
  ]
}
