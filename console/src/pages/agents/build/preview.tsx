import { ReloadOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useState } from 'react'
import { defineWords } from '../../../ui/words.ts'
import type { AgentRecord } from '../agent-record.ts'
import { Chat } from '../chat/chat.tsx'
import { chatAgentOf } from '../chat/chat-agent.ts'

const useWords = defineWords(
  {
    title: 'Preview',
    again: 'Restart',
    dirty: 'The preview uses the last saved settings. Save to try your changes.',
  },
  { title: '预览', again: '重新开始', dirty: '预览使用上次保存的设置，保存后即可试用你的修改。' },
)

interface PreviewProps {
  agent: AgentRecord
  isDirty: boolean
  canTalk: boolean
}

/** A chat beside the form; its conversation is one of those from the console. */
export function Preview({ agent, isDirty, canTalk }: PreviewProps) {
  const words = useWords()
  const [conversationId, setConversationId] = useState<string>()
  if (!canTalk) return null
  return (
    <section className="preview" aria-label={words.title}>
      <div className="preview-head">
        <h2>{words.title}</h2>
        <Button
          type="text"
          size="small"
          icon={<ReloadOutlined />}
          disabled={conversationId === undefined}
          onClick={() => setConversationId(undefined)}
        >
          {words.again}
        </Button>
      </div>
      {isDirty && <p className="soft small preview-note">{words.dirty}</p>}
      <Chat
        agent={chatAgentOf(agent)}
        conversationId={conversationId}
        canTalk
        onConversation={setConversationId}
      />
    </section>
  )
}
