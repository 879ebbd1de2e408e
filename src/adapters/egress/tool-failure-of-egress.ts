import { ToolFailure } from '../../tools/tool-failure.ts'
import { EgressFailure } from './egress-failure.ts'

/**
 * What a tool fails with when a call did. An aborted signal comes first: its reason is why. The messages of the egress
 * name the host as it was written and nothing behind it, so they can be shown as they are.
 */
export function toolFailureOfEgress(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  if (!(error instanceof EgressFailure)) return error
  const retryable = error.kind === 'unreachable' || error.kind === 'timed_out'
  return new ToolFailure(error.message, { retryable })
}
