import { buffer } from 'node:stream/consumers'
import type { EgressAnswer } from './egress.ts'
import { EgressFailure } from './egress-failure.ts'

const hostOf = (answer: EgressAnswer): string => new URL(answer.url).host

/** The whole body as text. Its size is bounded by `maxBytes` of the request. */
export const readText = async (answer: EgressAnswer): Promise<string> =>
  (await buffer(answer.body)).toString('utf8')

/** The whole body as JSON. Its size is bounded by `maxBytes` of the request. */
export async function readJson(answer: EgressAnswer): Promise<unknown> {
  const text = await readText(answer)
  try {
    return JSON.parse(text)
  } catch {
    throw new EgressFailure('bad_answer', `${hostOf(answer)} did not answer in JSON`)
  }
}
