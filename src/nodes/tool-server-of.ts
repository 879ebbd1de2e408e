import type { ToolServer } from '../tools/tool-server.ts'
import type { Step } from '../workflow/step.ts'

/** All calls of a conversation, or of a run without one, use the same session with an MCP server. */
export const toolServerOf = (step: Step, url: string, headers: ToolServer['headers']): ToolServer => ({
  url,
  headers,
  workspaceId: step.workspaceId,
  conversationId: step.system.conversation_id || step.runId,
})
