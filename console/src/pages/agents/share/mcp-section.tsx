import { defineWords } from '../../../ui/words.ts'
import { CodeExample } from './code-example.tsx'
import { type McpClient, mcpSetup } from './mcp-setup.ts'

const useWords = defineWords(
  {
    title: 'Use it in an assistant (MCP)',
    about:
      'Assistants that speak the Model Context Protocol get each agent as a tool. Replace YOUR_TOKEN with a token: one that is bound to this agent offers nothing else, an editor token can also build and run workflows.',
    other: 'Other clients',
  },
  {
    title: '在 AI 助手中使用（MCP）',
    about:
      '支持 MCP（Model Context Protocol）的助手会把每个智能体当作一个工具。请把 YOUR_TOKEN 换成令牌：绑定此智能体的令牌只提供它一个，编辑者令牌还可以搭建和运行工作流。',
    other: '其他客户端',
  },
)

/** What to paste into a client of the Model Context Protocol. */
export function McpSection() {
  const words = useWords()
  const clients: Record<McpClient, string> = {
    claude: 'Claude Code',
    cursor: '.cursor/mcp.json',
    vscode: '.vscode/mcp.json',
    other: words.other,
  }
  return (
    <section aria-label={words.title}>
      <h2>{words.title}</h2>
      <p className="soft">{words.about}</p>
      <CodeExample
        title={words.title}
        languages={clients}
        code={client => mcpSetup(client, `${window.location.origin}/mcp`)}
      />
    </section>
  )
}
