import { pathTo } from '../../../ui/router.ts'
import { defineWords } from '../../../ui/words.ts'
import type { AgentRecord } from '../agent-record.ts'
import { Chat } from '../chat/chat.tsx'
import { chatAgentOf } from '../chat/chat-agent.ts'

const useWords = defineWords({ back: 'All conversations' }, { back: '全部对话' })

/** A conversation that somebody had with the agent, to be read. */
export function ConversationPage({ agent, conversationId }: { agent: AgentRecord; conversationId: string }) {
  const words = useWords()
  return (
    <div className="conversation-page">
      <a className="page-back" href={pathTo('agents', agent.id, 'conversations')}>
        ← {words.back}
      </a>
      <Chat agent={chatAgentOf(agent)} conversationId={conversationId} canTalk={false} />
    </div>
  )
}
