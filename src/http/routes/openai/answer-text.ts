import type { Message } from '../../../conversations/conversation.ts'
import type { TurnAnswer } from '../../../conversations/turn-events.ts'
import { parseInPieces } from '../../../kernel/parse-in-pieces.ts'
import { inSlices, type Pausable } from '../../../kernel/slices.ts'
import { type Citation, citationMark, citationsIn, citingSteps } from '../../../workflow/citations.ts'
import { isJsonRecord, ownValue } from '../../../workflow/json-record.ts'
import type { Runs } from '../../../workflow/run/run-service.ts'
import type { StepRecord } from '../../../workflow/run/store/run-records.ts'
import type { StoredExchange } from './exchange.ts'

/**
 * Finds the pieces of a text that a client does not have yet. The client cannot discard text: if a step starts over, only
 * the part of the new text beyond the old one is sent, or, if they differ, the whole new text after it.
 */
export class UnsentText {
  #sent = ''
  /** The new text, until it is longer than the old one. */
  #restarted: string | undefined

  add(text: string, reset: boolean): string {
    if (reset) this.#restarted = ''
    if (this.#restarted === undefined) {
      this.#sent += text
      return text
    }
    this.#restarted += text
    if (this.#sent.startsWith(this.#restarted)) return ''
    const isLonger = this.#restarted.startsWith(this.#sent)
    const piece = isLonger ? this.#restarted.slice(this.#sent.length) : `\n\n${this.#restarted}`
    this.#sent = this.#restarted
    this.#restarted = undefined
    return piece
  }
}

/** Separates messages, because a completion joins them to one text. */
export const gap = '\n\n'

/** A message as text. Files are links that need a token; an action is an instruction to a client of its own. */
export function textOf(
  { dataType, content, fileIds }: Omit<Message, 'chatId' | 'role'>,
  origin: string,
): string {
  if (dataType === 'text') return content
  if (dataType === 'action') return ''
  const links = fileIds.map(id => `${dataType === 'image' ? '!' : ''}[${id}](${fileUrl(origin, id)})`)
  return [content, ...links].filter(Boolean).join('\n')
}

export const fileUrl = (origin: string, fileId: string): string => `${origin}/api/v1/files/${fileId}`

/** The suggested answers to a question, which other clients show as buttons. */
export const optionsText = ({ waiting }: TurnAnswer): string =>
  waiting && waiting.options.length > 0
    ? `${gap}${waiting.options.map(option => `- ${option}`).join('\n')}`
    : ''

/** Finds the citations of a text; for most texts, which have none, the run is not read. */
export function citationFinder(runs: Pick<Runs, 'steps'>, { workspaceId, runId }: StoredExchange) {
  const read = async () => inSlices(citingSteps(await runs.steps(workspaceId, runId)))
  let citing: ReturnType<typeof read> | undefined
  return async (text: string): Promise<Citation[]> => {
    if (text.search(citationMark) < 0) return []
    citing ??= read()
    return citationsIn(text, await citing)
  }
}

const cutOutput = /"finish_reason":"(?:length|content_filter)"/

/** Why an answer is not complete. */
export type CutReason = 'length' | 'content_filter'

/**
 * Why the last text of an answer is not complete; undefined if it is, or if no model step is known to have written its
 * end. A workflow may show only a part of what a model wrote, or nothing.
 */
export async function cutReason(
  runs: Pick<Runs, 'steps'>,
  { workspaceId, runId }: StoredExchange,
  { replies }: TurnAnswer,
): Promise<CutReason | undefined> {
  const last = replies.findLast(({ dataType }) => dataType === 'text')?.content.trimEnd() ?? ''
  if (last === '') return undefined
  return inSlices(cutReasonOf(last, await runs.steps(workspaceId, runId)))
}

function* cutReasonOf(last: string, steps: readonly StepRecord[]): Pausable<CutReason | undefined> {
  const written = steps.flatMap(({ kind, outputs }) =>
    (kind === 'llm' || kind === 'agent') && outputs !== undefined ? [outputs] : [],
  )
  // Few runs have one; the outputs of all others need not be parsed, which could take long.
  if (!written.some(outputs => cutOutput.test(outputs))) return undefined
  // A short text may be equal to the end of a longer one.
  let longest = 0
  let cutBy: CutReason | undefined
  for (const outputs of written) {
    const parsed = yield* parseInPieces(outputs)
    yield
    if (!isJsonRecord(parsed)) continue
    const [text, notice, reason] = ['text', 'notice', 'finish_reason'].map(name => ownValue(parsed, name))
    if (typeof text !== 'string' || text.trim() === '' || text.length < longest) continue
    // A message that shows the text ends with it, or with the notice after it.
    if (![text, `${text}${String(notice)}`].some(ending => last.endsWith(ending.trimEnd()))) continue
    longest = text.length
    cutBy = reason === 'length' || reason === 'content_filter' ? reason : undefined
  }
  return cutBy
}
