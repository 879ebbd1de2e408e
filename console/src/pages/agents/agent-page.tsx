import { GlobalOutlined, LockOutlined } from '@ant-design/icons'
import { Tag } from 'antd'
import { TestSets } from '../../editor/tests/test-sets.tsx'
import { Presence } from '../../session/presence.tsx'
import { AgentMark } from '../../ui/agent-mark.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { QueryFailure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page, useDocumentTitle } from '../../ui/page.tsx'
import { pathTo } from '../../ui/router.ts'
import { defineWords } from '../../ui/words.ts'
import { NotFoundPage } from '../not-found-page.tsx'
import { type AgentRecord, useAgent } from './agent-record.ts'
import { AnnotationsTab } from './annotations/annotations-tab.tsx'
import { BuildTab } from './build/build-tab.tsx'
import { Chat } from './chat/chat.tsx'
import { chatAgentOf } from './chat/chat-agent.ts'
import { ChatTab } from './chat/chat-tab.tsx'
import { ConversationsTab } from './conversations/conversations-tab.tsx'
import { ExportButton } from './conversations/export-button.tsx'
import { ShareTab } from './share/share-tab.tsx'

const useWords = defineWords(
  {
    agents: 'Agents',
    tabs: 'Agent sections',
    build: 'Build',
    chat: 'Chat',
    conversations: 'Conversations',
    annotations: 'Annotations',
    tests: 'Test sets',
    use: 'Share / API',
    public: 'Public',
    private: 'Private',
    goneTitle: 'Agent not found',
    gone: 'It may have been deleted, or it belongs to another workspace.',
    back: 'All agents',
  },
  {
    agents: '智能体',
    tabs: '智能体的各个部分',
    build: '编排',
    chat: '对话',
    conversations: '对话记录',
    annotations: '标注',
    tests: '测试集',
    use: '接入',
    public: '公开',
    private: '私有',
    goneTitle: '没有找到这个智能体',
    gone: '它可能已被删除，或属于其他工作空间。',
    back: '全部智能体',
  },
)

const tabs = ['build', 'chat', 'conversations', 'annotations', 'tests', 'use'] as const
type Tab = (typeof tabs)[number]

const tabOf = (segment = 'build'): Tab | undefined => tabs.find(tab => tab === segment)

/** One agent: settings, chat, conversations, and API access. */
export function AgentPage({ id, segments }: { id: string; segments: readonly string[] }) {
  const words = useWords()
  const agent = useAgent(id)
  const tab = tabOf(segments[0])
  if (tab === undefined) return <NotFoundPage />
  if (agent.isLoadingError)
    return (
      <Page title={id} back={{ href: pathTo('agents'), title: words.agents }}>
        <QueryFailure query={agent} />
      </Page>
    )
  if (agent.isPending) return <Loading />
  if (agent.data === null)
    return (
      <Page title={words.goneTitle}>
        <EmptyState title={words.goneTitle} actions={<a href={pathTo('agents')}>{words.back}</a>}>
          {words.gone}
        </EmptyState>
      </Page>
    )
  return (
    <div className="agent-page">
      <AgentHead agent={agent.data} tab={tab} />
      <AgentTab agent={agent.data} tab={tab} rest={segments.slice(1)} />
    </div>
  )
}

function AgentHead({ agent, tab }: { agent: AgentRecord; tab: Tab }) {
  const words = useWords()
  useDocumentTitle(`${agent.name} · ${words[tab]}`)
  const isPublic = agent.access === 'public'
  return (
    <div className="agent-head">
      <div className="agent-title">
        <a className="page-back" href={pathTo('agents')}>
          ← {words.agents}
        </a>
        <AgentMark name={agent.name} avatar={agent.config.avatar} />
        <h1>{agent.name}</h1>
        <Tag icon={isPublic ? <GlobalOutlined /> : <LockOutlined />}>{words[agent.access]}</Tag>
        <Presence kind="agent" id={agent.id} />
      </div>
      <nav className="agent-tabs" aria-label={words.tabs}>
        {tabs.map(each => (
          <a
            key={each}
            href={each === 'build' ? pathTo('agents', agent.id) : pathTo('agents', agent.id, each)}
            aria-current={each === tab ? 'page' : undefined}
          >
            {words[each]}
          </a>
        ))}
      </nav>
    </div>
  )
}

function AgentTab({ agent, tab, rest }: { agent: AgentRecord; tab: Tab; rest: readonly string[] }) {
  const conversationId = rest[0]
  if (tab === 'build') return <BuildTab agent={agent} />
  if (tab === 'chat') return <ChatTab agent={agent} conversationId={conversationId} />
  if (tab === 'use') return <ShareTab agent={agent} />
  if (tab === 'annotations') return <AnnotationsTab agent={agent} shownId={rest[0]} />
  if (tab === 'tests')
    return (
      <div className="agent-content">
        <TestSets
          subject={{ agent_id: agent.id }}
          path={['agents', agent.id, 'tests']}
          setId={rest[0]}
          isVersioned={Boolean(agent.config.workflow_id)}
        />
      </div>
    )
  return conversationId === undefined ? (
    <ConversationsTab agent={agent} />
  ) : (
    <ConversationPage key={conversationId} agent={agent} conversationId={conversationId} />
  )
}

const useConversationPageWords = defineWords({ back: 'All conversations' }, { back: '全部对话' })

/** A conversation with the agent, read only. */
function ConversationPage({ agent, conversationId }: { agent: AgentRecord; conversationId: string }) {
  const words = useConversationPageWords()
  return (
    <div className="conversation-page">
      <div className="conversation-bar">
        <a className="page-back" href={pathTo('agents', agent.id, 'conversations')}>
          ← {words.back}
        </a>
        <ExportButton
          formats={['markdown', 'json']}
          filter={{ agent_id: agent.id, conversation_id: conversationId }}
          fileName={conversationId}
        />
      </div>
      <Chat agent={chatAgentOf(agent)} conversationId={conversationId} canTalk={false} />
    </div>
  )
}
