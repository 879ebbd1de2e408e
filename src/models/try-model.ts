import { limits } from '../contract/limits.ts'
import type { Clock } from '../kernel/clock.ts'
import { type LanguageModel, ModelNotConfigured } from './language-model.ts'
import { ModelFailure } from './model-failure.ts'

export interface Trial {
  ok: boolean
  latencyMilliseconds: number
  /** What it answered, or what to do about the failure. */
  message: string
}

const shownCharacters = 200

/** Asks a model for a word, to learn whether its settings are right. A failure is a result, not an error. */
export async function tryModel(find: () => Promise<LanguageModel>, clock: Clock): Promise<Trial> {
  const begun = clock.now()
  const trial = (ok: boolean, message: string): Trial => ({
    ok,
    latencyMilliseconds: Math.max(0, clock.now() - begun),
    message: [...message].slice(0, shownCharacters).join(''),
  })
  const signal = AbortSignal.timeout(limits.modelTestMilliseconds)
  try {
    const model = await find()
    const { text } = await model.generate(
      {
        messages: [{ role: 'user', parts: [{ type: 'text', text: 'Answer with the one word: ready' }] }],
        maxTokens: 16,
      },
      () => {},
      signal,
    )
    return trial(true, text.trim() || 'It answered without a word.')
  } catch (error) {
    if (error instanceof ModelFailure || error instanceof ModelNotConfigured)
      return trial(false, error.message)
    if (signal.aborted)
      return trial(false, `It did not answer within ${limits.modelTestMilliseconds / 1000} seconds`)
    throw error
  }
}
