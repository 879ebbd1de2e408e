import { defineWords } from '../words.ts'
import { CodeExample } from './code-example.tsx'
import { type McpClient, mcpSetup } from './mcp-setup.ts'

const useWords = defineWords(
  {
    title: 'Use it in an assistant (MCP)',
    agent:
      'MCP clients (Model Context Protocol) see each agent as a tool. Replace YOUR_TOKEN with a token: a token for this agent offers only this agent; an editor token can also build and run workflows.',
    workflow:
      'MCP clients (Model Context Protocol) see each published workflow as a tool with its declared inputs. Replace YOUR_TOKEN with the token of an editor.',
    other: 'Other clients',
  },
  {
    title: '在 AI 助手中使用（MCP）',
    agent:
      '支持 MCP（Model Context Protocol）的助手会把每个智能体当作一个工具。请把 YOUR_TOKEN 换成令牌：绑定此智能体的令牌只提供它一个，编辑者令牌还可以搭建和运行工作流。',
    workflow:
      '支持 MCP（Model Context Protocol）的助手会把每个已发布的工作流当作一个工具，参数就是它声明的输入。请把 YOUR_TOKEN 换成编辑者的令牌。',
    other: '其他客户端',
  },
)

/** The configuration to paste into a client of the Model Context Protocol. */
export function McpSection({ shared }: { shared: 'agent' | 'workflow' }) {
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
      <p className="soft">{words[shared]}</p>
      <CodeExample
        title={words.title}
        languages={clients}
        code={client => mcpSetup(client, `${window.location.origin}/mcp`)}
      />
    </section>
  )
}
