import { limits } from '../contract/limits.ts'
import type { ModelTestCode } from '../contract/model-operations.ts'
import type { Clock } from '../kernel/clock.ts'
import { type LanguageModel, ModelNotConfigured } from './language-model.ts'
import { ModelFailure } from './model-failure.ts'

export interface ModelTest {
  ok: boolean
  code: ModelTestCode
  latencyMilliseconds: number
  /** The answer of the model, or why the test failed. */
  message: string
}

const shownCharacters = 200

/** Enough tokens for a model that reasons before it answers with one word. */
const maxTokens = 2048

export async function askShortly(model: LanguageModel, signal: AbortSignal): Promise<string> {
  const parts = [{ type: 'text' as const, text: 'Answer with the one word: ready' }]
  const { text } = await model.generate({ messages: [{ role: 'user', parts }], maxTokens }, () => {}, signal)
  return text.trim()
}

/** One short call, to find out whether the settings of a model are right. A failure is a result, not an error. */
export async function testModel(
  call: (signal: AbortSignal) => Promise<string>,
  clock: Clock,
): Promise<ModelTest> {
  const startedAt = clock.now()
  const result = (code: ModelTestCode, message: string): ModelTest => ({
    ok: code === 'answered' || code === 'empty_answer',
    code,
    latencyMilliseconds: Math.max(0, clock.now() - startedAt),
    message: [...message].slice(0, shownCharacters).join(''),
  })
  const signal = AbortSignal.timeout(limits.modelTestMilliseconds)
  try {
    const answer = await call(signal)
    return answer === '' ? result('empty_answer', 'The answer was empty.') : result('answered', answer)
  } catch (error) {
    if (error instanceof ModelFailure) return result(error.kind, error.message)
    if (error instanceof ModelNotConfigured) return result('not_configured', error.message)
    if (signal.aborted)
      return result(
        'timed_out',
        `The model did not answer within ${limits.modelTestMilliseconds / 1000} seconds`,
      )
    throw error
  }
}
