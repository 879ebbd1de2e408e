import { ApiOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Alert, Button } from 'antd'
import { call } from '../../api/call.ts'
import type { CallInput } from '../../api/operations.ts'
import { Failure } from '../failure.tsx'
import { defineWords } from '../words.ts'
import './server-tools.css'

/** The address and the credentials of an MCP server. */
export type ToolServer = CallInput<'POST /api/v1/tool/inspect'>['body']

/** The tools of an MCP server, once the user has connected to it with the same settings. */
export const useServerTools = (server: ToolServer) =>
  useQuery({
    queryKey: ['server-tools', server],
    queryFn: ({ signal }) => call('POST /api/v1/tool/inspect', { body: server, signal }),
    enabled: false,
    retry: false,
  })

const useWords = defineWords(
  {
    connect: 'Connect and list tools',
    found: (count: number, server: string) =>
      count === 1 ? `Connected to ${server}: 1 tool` : `Connected to ${server}: ${count} tools`,
  },
  {
    connect: '连接并列出工具',
    found: (count: number, server: string) => `已连接 ${server}：共 ${count} 个工具`,
  },
)

/** Connects to an MCP server, for the fields that offer its tools. */
export function ConnectServer({ server }: { server: ToolServer }) {
  const words = useWords()
  const { data, error, isFetching, refetch } = useServerTools(server)
  return (
    <div className="connect-server">
      <Button
        icon={<ApiOutlined aria-hidden />}
        loading={isFetching}
        disabled={server.url === ''}
        onClick={() => void refetch()}
      >
        {words.connect}
      </Button>
      {error && !isFetching && <Failure error={error} />}
      {data && !error && !isFetching && (
        <Alert type="success" showIcon title={words.found(data.tools.length, data.name || server.url)} />
      )}
    </div>
  )
}

/** Options of a select or completion: the names of the tools, with what they do in the list. */
export function useToolOptions(server: ToolServer) {
  const { data } = useServerTools(server)
  return {
    options: data?.tools.map(({ name, description }) => ({ value: name, description })) ?? [],
    optionRender: ({ data: tool }: { data: { value: string; description: string } }) => (
      <span className="tool-option">
        {tool.value}
        <span className="soft small">{tool.description}</span>
      </span>
    ),
  }
}
