import { Select } from 'antd'
import { defineWords } from '../words.ts'
import { Field } from './field.tsx'
import { ConnectServer, useToolOptions } from './server-tools.tsx'
import { serverOf, type ToolForm } from './tool-settings.ts'

const useWords = defineWords(
  { tools: 'Tools to use', help: 'All tools of the server if empty.' },
  { tools: '使用的工具', help: '留空则使用服务器的全部工具。' },
)

interface ServerToolsFieldProps {
  form: ToolForm
  edit: (change: Partial<ToolForm>) => void
}

/** The tools of an MCP server to offer, chosen from those that it lists. */
export function ServerToolsField({ form, edit }: ServerToolsFieldProps) {
  const words = useWords()
  const server = serverOf(form)
  const offered = useToolOptions(server)
  return (
    <>
      <Field label={words.tools} help={words.help}>
        {id => (
          <Select
            id={id}
            mode="tags"
            value={[...form.tools]}
            {...offered}
            onChange={(tools: string[]) => edit({ tools })}
          />
        )}
      </Field>
      <ConnectServer server={server} />
    </>
  )
}
