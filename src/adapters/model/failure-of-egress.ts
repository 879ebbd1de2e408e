import { ModelFailure } from '../../models/model-failure.ts'
import type { EgressFailure, EgressFailureKind } from '../egress/egress.ts'
import type { ModelEndpoint } from './model-endpoint.ts'

const failures: Record<EgressFailureKind, { retryable: boolean; words: string }> = {
  unreachable: { retryable: true, words: 'could not be reached' },
  timed_out: { retryable: true, words: 'did not answer in time' },
  bad_answer: { retryable: true, words: 'gave an answer that is not HTTP, or is damaged' },
  too_large: { retryable: false, words: 'gave an answer that is too large' },
  blocked: { retryable: false, words: 'cannot be called with these settings' },
}

/** Names the setting and not the address in it: whoever reads this may not be the one who runs the server. */
export function failureOfEgress(
  endpoint: ModelEndpoint,
  { kind }: Pick<EgressFailure, 'kind'>,
): ModelFailure {
  const { name, urlSetting, keySetting } = endpoint
  const { retryable, words } = failures[kind]
  const hint = endpoint.isOfWorkspace
    ? '; whoever runs the server has to list a private address in EGRESS_ALLOW'
    : ''
  const check =
    kind === 'blocked'
      ? `check ${urlSetting} and ${keySetting}${hint}`
      : `check that ${urlSetting} is right and its server works`
  return new ModelFailure(`The ${name} endpoint ${words}: ${check}`, { retryable })
}
