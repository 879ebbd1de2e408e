import type { Message } from '../../../conversations/conversation.ts'
import type { TurnAnswer } from '../../../conversations/turn-events.ts'
import { type Citation, citationMark, citationsIn } from '../../../workflow/citations.ts'
import type { Runs } from '../../../workflow/run/run-service.ts'
import type { StoredExchange } from './exchange.ts'

/**
 * The pieces of a text that a client has not got yet. It cannot take back what it got: where a step starts over, the new
 * text is sent from where it goes beyond the old one, or after it if it differs.
 */
export class UnsentText {
  #sent = ''
  /** The new text, until it goes beyond the old one. */
  #again: string | undefined

  add(text: string, reset: boolean): string {
    if (reset) this.#again = ''
    if (this.#again === undefined) {
      this.#sent += text
      return text
    }
    this.#again += text
    if (this.#sent.startsWith(this.#again)) return ''
    const isLonger = this.#again.startsWith(this.#sent)
    const piece = isLonger ? this.#again.slice(this.#sent.length) : `\n\n${this.#again}`
    this.#sent = this.#again
    this.#again = undefined
    return piece
  }
}

/** Between messages, of which a completion is one. */
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

/** Finds the citations of a text; most texts have none, and need no look at the run. */
export function citationFinder(runs: Pick<Runs, 'steps'>, { workspaceId, runId }: StoredExchange) {
  let steps: ReturnType<Runs['steps']> | undefined
  return async (text: string): Promise<Citation[]> => {
    if (text.search(citationMark) < 0) return []
    steps ??= runs.steps(workspaceId, runId)
    return citationsIn(text, await steps)
  }
}
