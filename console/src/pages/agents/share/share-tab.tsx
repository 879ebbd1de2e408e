import { Alert, Button } from 'antd'
import { useState } from 'react'
import { call } from '../../../api/call.ts'
import { useMay } from '../../../session/use-session.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { cutText } from '../../../ui/cut-text.ts'
import { useFailureToast } from '../../../ui/failure.tsx'
import { KeyIcon } from '../../../ui/icons.tsx'
import { pathTo } from '../../../ui/router.ts'
import { CallSection } from '../../../ui/share/call-section.tsx'
import { McpSection } from '../../../ui/share/mcp-section.tsx'
import { OpenaiSection } from '../../../ui/share/openai-section.tsx'
import { SharedValue } from '../../../ui/share/shared-value.tsx'
import { defineWords } from '../../../ui/words.ts'
import type { AgentRecord } from '../agent-record.ts'
import { ChatPageSection } from './chat-page-section.tsx'
import { snippetFor } from './snippets.ts'

const useWords = defineWords(
  {
    accessTitle: 'Access',
    public:
      'This agent is public: anyone who knows its ID can chat with it without a token. Visitors of the chat page see only their own conversations; a conversation that was started over the API without a visitor secret can be continued by anyone who knows its ID.',
    private:
      'This agent is private: calls need a token. For an app, website or device, create a token that can only chat with this agent.',
    change: 'Change access',
    id: 'Agent ID',
    copyId: 'Copy ID',
    about: 'Two calls: create a conversation, then send a message and receive the answer.',
    createComment: '1. Create a conversation; the response contains its conversation_id',
    sendComment: '2. Send a message; with "stream": 1 the answer is streamed (add -N)',
  },
  {
    accessTitle: '访问权限',
    public:
      '这个智能体是公开的：任何知道它 ID 的人都可以不带令牌与它对话。聊天页面的访客只能看到自己的对话；通过 API 且未使用访客密钥开始的对话，知道对话 ID 的人可以继续。',
    private: '这个智能体是私有的：调用时需要令牌。请为应用、网页或设备创建一个只能与它对话的令牌。',
    change: '修改访问权限',
    id: '智能体 ID',
    copyId: '复制 ID',
    about: '只需两次调用：先创建对话，再发送消息并得到回答。',
    createComment: '1. 创建对话，响应中包含 conversation_id',
    sendComment: '2. 发送消息；加上 "stream": 1 可流式返回（并加 -N）',
  },
)

/** How to use an agent over the API. */
export function ShareTab({ agent }: { agent: AgentRecord }) {
  const words = useWords()
  const may = useMay()
  const isPublic = agent.access === 'public'
  const example = {
    origin: window.location.origin,
    agentId: agent.id,
    isPublic,
    comments: { create: words.createComment, send: words.sendComment },
  }
  return (
    <div className="agent-content share">
      <section aria-label={words.accessTitle}>
        <h2>{words.accessTitle}</h2>
        <p>{isPublic ? words.public : words.private}</p>
        {may.write && (
          <p>
            <a href={pathTo('agents', agent.id)}>{words.change}</a>
          </p>
        )}
        <SharedValue name={words.id} value={agent.id} copy={words.copyId} />
        {!isPublic && <RunnerToken agent={agent} />}
      </section>
      <ChatPageSection key={agent.id} agent={agent} />
      <OpenaiSection model={agent.id} />
      <CallSection about={words.about} code={language => snippetFor(language, example)} />
      <McpSection shared="agent" />
    </div>
  )
}

const useRunnerTokenWords = defineWords(
  {
    make: 'Create a token for this agent',
    name: (agent: string) => `Chat with ${agent}`,
    once: 'Copy the token now. You cannot view it again.',
    about: 'It can only chat with this agent. You can revoke it on the Access tokens page.',
    copy: 'Copy token',
    askAdmin: 'Ask an admin for a runner token that is bound to this agent.',
  },
  {
    make: '为这个智能体创建令牌',
    name: (agent: string) => `与 ${agent} 对话`,
    once: '请立即复制令牌，关闭后无法再次查看。',
    about: '它只能与这个智能体对话。可以在“访问令牌”页面吊销。',
    copy: '复制令牌',
    askAdmin: '请向管理员申请一个绑定此智能体的运行者令牌。',
  },
)

/** A token that can only chat with one agent. */
function RunnerToken({ agent }: { agent: AgentRecord }) {
  const words = useRunnerTokenWords()
  const may = useMay()
  const showFailure = useFailureToast()
  const [token, setToken] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  if (!may.administer) return <p className="soft">{words.askAdmin}</p>
  const make = async (): Promise<void> => {
    setIsBusy(true)
    const name = cutText(words.name(agent.name), 100)
    const body = { name, role: 'runner' as const, agent_ids: [agent.id] }
    await call('POST /api/v1/token/create', { body })
      .then(made => setToken(made.token), showFailure)
      .finally(() => setIsBusy(false))
  }
  if (token === undefined)
    return (
      <Button icon={<KeyIcon />} loading={isBusy} onClick={make}>
        {words.make}
      </Button>
    )
  return (
    <Alert
      type="success"
      showIcon
      title={words.once}
      description={
        <>
          <p className="new-token">
            <code>{token}</code> <CopyButton size="small" text={token} label={words.copy} />
          </p>
          <p>{words.about}</p>
        </>
      }
    />
  )
}
