import { useQueryClient } from '@tanstack/react-query'
import { Alert, Button, Select } from 'antd'
import { useState } from 'react'
import { call } from '../../../api/call.ts'
import { useMay } from '../../../session/use-session.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { useFailureToast } from '../../../ui/failure.tsx'
import { CodeBlock } from '../../../ui/share/code-block.tsx'
import { defineWords } from '../../../ui/words.ts'
import { type AgentRecord, agentKey } from '../agent-record.ts'
import { QrCode } from './qr-code.tsx'
import { frameSnippet, scriptSnippet } from './snippets.ts'

const useWords = defineWords(
  {
    title: 'Chat page and website',
    private: 'Make this agent public to share a chat page or embed it in a website.',
    about: 'Anyone with the link can chat. Visitors see only their own conversations.',
    open: 'Open chat page',
    copyLink: 'Copy link',
    qr: 'QR code of the chat page',
    originsTitle: 'Websites',
    originsAbout:
      'Only these websites may embed the agent or call it from their pages. Use https://*.example.com for all subdomains, or * for every website.',
    origins: 'Allowed websites',
    placeholder: 'https://example.com',
    none: 'No website may embed this agent yet. Add your website before you use the snippets below.',
    save: 'Save websites',
    script: 'Chat bubble: paste before </body>',
    frame: 'Inside a page: paste where the chat should be',
    copyScript: 'Copy bubble snippet',
    copyFrame: 'Copy iframe snippet',
  },
  {
    title: '聊天页面与网站',
    private: '把这个智能体设为公开后，就可以分享聊天页面，或放到网站上。',
    about: '任何拿到链接的人都可以对话。访客只能看到自己的对话。',
    open: '打开聊天页面',
    copyLink: '复制链接',
    qr: '聊天页面的二维码',
    originsTitle: '网站',
    originsAbout:
      '只有这些网站可以嵌入这个智能体，或在网页中调用它。https://*.example.com 表示所有子域名，* 表示所有网站。',
    origins: '允许的网站',
    placeholder: 'https://example.com',
    none: '目前没有网站可以嵌入这个智能体。使用下面的代码前，请先添加你的网站。',
    save: '保存网站',
    script: '聊天气泡：粘贴到 </body> 之前',
    frame: '嵌入页面：粘贴到要显示聊天的位置',
    copyScript: '复制气泡代码',
    copyFrame: '复制 iframe 代码',
  },
)

/** The chat page of a public agent: its link, its QR code, and how a website embeds it. */
export function ChatPageSection({ agent }: { agent: AgentRecord }) {
  const words = useWords()
  const { origin } = window.location
  const link = `${origin}/chat/${agent.id}`
  return (
    <section aria-label={words.title}>
      <h2>{words.title}</h2>
      {agent.access === 'public' ? (
        <>
          <p>{words.about}</p>
          <div className="chat-link">
            <QrCode text={link} label={words.qr} />
            <div>
              <p>
                <code>{link}</code>
                <CopyButton size="small" text={link} label={words.copyLink} />
              </p>
              <Button href={link} target="_blank">
                {words.open}
              </Button>
            </div>
          </div>
          <AllowedOrigins agent={agent} />
          <Snippet title={words.script} label={words.copyScript} text={scriptSnippet(origin, agent.id)} />
          <Snippet title={words.frame} label={words.copyFrame} text={frameSnippet(link, agent.name)} />
        </>
      ) : (
        <p>{words.private}</p>
      )}
    </section>
  )
}

function Snippet({ title, label, text }: { title: string; label: string; text: string }) {
  return (
    <>
      <h3>{title}</h3>
      <CodeBlock title={title} text={text} copy={label} />
    </>
  )
}

function AllowedOrigins({ agent }: { agent: AgentRecord }) {
  const words = useWords()
  const may = useMay()
  const showFailure = useFailureToast()
  const queries = useQueryClient()
  const stored = agent.allowed_origins
  const [origins, setOrigins] = useState<readonly string[]>(stored)
  const [isSaving, setIsSaving] = useState(false)
  const save = async (): Promise<void> => {
    setIsSaving(true)
    try {
      const body = { id: agent.id, allowed_origins: [...origins] }
      setOrigins((await call('POST /api/v1/agent/update', { body })).allowed_origins)
      await queries.invalidateQueries({ queryKey: agentKey(agent.id) })
    } catch (error) {
      showFailure(error)
    } finally {
      setIsSaving(false)
    }
  }
  return (
    <>
      <h3>{words.originsTitle}</h3>
      <p className="soft">{words.originsAbout}</p>
      <div className="allowed-origins">
        <Select
          mode="tags"
          open={false}
          suffixIcon={null}
          aria-label={words.origins}
          placeholder={words.placeholder}
          disabled={!may.write}
          tokenSeparators={[' ', ',', '\n']}
          value={[...origins]}
          // Origins are stored as browsers send them: in lower case, without a path.
          onChange={chosen => setOrigins([...new Set(chosen.map(originOf))])}
        />
        {may.write && (
          <Button
            type="primary"
            loading={isSaving}
            disabled={origins.join() === stored.join()}
            onClick={() => void save()}
          >
            {words.save}
          </Button>
        )}
      </div>
      {stored.length === 0 && <Alert type="info" showIcon title={words.none} />}
    </>
  )
}

/** The origin of an address that was pasted; anything else as it is, so that the server explains what is wrong. */
function originOf(text: string): string {
  const address = /^[\w-]+(\.[\w-]+)*\.[a-z]{2,}(:\d+)?(\/|$)/i.test(text.trim())
    ? `https://${text.trim()}`
    : text.trim()
  return address.includes('*') || !/^https?:\/\//.test(address) || !URL.canParse(address)
    ? address
    : new URL(address).origin
}
