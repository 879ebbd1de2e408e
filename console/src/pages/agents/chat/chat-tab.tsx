import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useMay } from '../../../session/use-session.ts'
import { navigate, pathTo } from '../../../ui/router.ts'
import type { AgentRecord } from '../agent-record.ts'
import { Chat } from './chat.tsx'
import { chatAgentOf } from './chat-agent.ts'
import { ConversationList } from './conversation-list.tsx'

/** Talking to an agent, with the conversations that were had from here at the side. */
export function ChatTab({
  agent,
  conversationId,
}: {
  agent: AgentRecord
  conversationId: string | undefined
}) {
  const may = useMay()
  const queries = useQueryClient()
  const open = useCallback(
    (id: string | undefined, replace = false) =>
      navigate(pathTo('agents', agent.id, 'chat', ...(id === undefined ? [] : [id])), { replace }),
    [agent.id],
  )
  const refresh = useCallback(
    () => void queries.invalidateQueries({ queryKey: ['conversations', agent.id] }),
    [queries, agent.id],
  )
  const onConversation = useCallback(
    (id: string) => {
      open(id, true)
      refresh()
    },
    [open, refresh],
  )
  return (
    <div className="chat-tab">
      <ConversationList agentId={agent.id} shownId={conversationId} onOpen={open} canChange={may.write} />
      <Chat
        agent={chatAgentOf(agent)}
        conversationId={conversationId}
        canTalk={may.write}
        onConversation={onConversation}
        onAnswered={refresh}
        autoFocus
      />
    </div>
  )
}
