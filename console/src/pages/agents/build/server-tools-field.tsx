import { ApiOutlined } from '@ant-design/icons'
import { Alert, Button, Select } from 'antd'
import { useState } from 'react'
import { call } from '../../../api/call.ts'
import { Failure } from '../../../ui/failure.tsx'
import { defineWords } from '../../../ui/words.ts'
import { Field } from './field.tsx'
import { headersOf, type ToolForm } from './tool-settings.ts'

const useWords = defineWords(
  {
    tools: 'Tools to use',
    help: 'All tools of the server if empty.',
    connect: 'Connect and list tools',
    found: (count: number, server: string) =>
      count === 1 ? `Connected to ${server}: 1 tool` : `Connected to ${server}: ${count} tools`,
  },
  {
    tools: '使用的工具',
    help: '留空则使用服务器的全部工具。',
    connect: '连接并列出工具',
    found: (count: number, server: string) => `已连接 ${server}：共 ${count} 个工具`,
  },
)

interface ServerToolsFieldProps {
  form: ToolForm
  edit: (change: Partial<ToolForm>) => void
}

interface Connected {
  url: string
  name: string
  tools: readonly { name: string; description: string }[]
}

/** The tools of an MCP server to offer, chosen from those that it lists. */
export function ServerToolsField({ form, edit }: ServerToolsFieldProps) {
  const words = useWords()
  const [connected, setConnected] = useState<Connected>()
  const [failure, setFailure] = useState<unknown>()
  const [isBusy, setIsBusy] = useState(false)
  const url = form.url.trim()
  const connect = async (): Promise<void> => {
    setIsBusy(true)
    setFailure(undefined)
    setConnected(undefined)
    await call('POST /api/v1/tool/inspect', { body: { url, headers: headersOf(form) } })
      .then(({ name, tools }) => setConnected({ url, name, tools }), setFailure)
      .finally(() => setIsBusy(false))
  }
  const known = connected?.url === url ? connected : undefined
  return (
    <>
      <Field label={words.tools} help={words.help}>
        {id => (
          <Select
            id={id}
            mode="tags"
            value={[...form.tools]}
            options={known?.tools.map(({ name, description }) => ({ value: name, title: description })) ?? []}
            onChange={(tools: string[]) => edit({ tools })}
          />
        )}
      </Field>
      <div className="field">
        <Button icon={<ApiOutlined />} loading={isBusy} disabled={url === ''} onClick={connect}>
          {words.connect}
        </Button>
        {failure !== undefined && <Failure error={failure} />}
        {known && (
          <Alert type="success" showIcon title={words.found(known.tools.length, known.name || known.url)} />
        )}
      </div>
    </>
  )
}
