import type { MessageType } from '../workflow/step.ts'

/** What a client sends as one turn. */
export interface ChatRequest {
  dataType: MessageType
  content: string
  fileIds: readonly string[]
  userId: string | undefined
  chatId: string | undefined
  messageId: string | undefined
  timestamp: number | undefined
  /** Of what was sent under an Idempotency-Key; empty where there was none. */
  fingerprint: string
}
