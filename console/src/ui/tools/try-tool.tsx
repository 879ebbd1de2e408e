import { PlayCircleOutlined } from '@ant-design/icons'
import { useMutation } from '@tanstack/react-query'
import { Alert, AutoComplete, Button, Input, Select } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { CallData } from '../../api/operations.ts'
import { Badge } from '../badge.tsx'
import { Failure } from '../failure.tsx'
import { joinSentences } from '../server-texts/message-facts.ts'
import { defineWords } from '../words.ts'
import { Field } from './field.tsx'
import { useServerTools, useToolOptions } from './server-tools.tsx'
import { serverOf, type ToolForm, toolOf } from './tool-settings.ts'
import { readArguments, type TryParameter, tryParameters } from './try-arguments.ts'
import './tool-form.css'

const useWords = defineWords(
  {
    title: 'Try',
    about: 'Calls the tool once with these settings, saved or not. This is a real call: it may change data.',
    tool: 'Tool of the server',
    required: 'Required.',
    initial: (value: string) => `Without a value: ${value}`,
    unset: 'Not sent',
    run: 'Call the tool',
    wrong: (name: string) => `The value of ${name} must be JSON of its type, such as 5, true or ["a"].`,
    noServer: 'Connect to the server above to choose one of its tools.',
    milliseconds: (count: number) => `${count} ms`,
    answer: 'Answer',
    empty: 'The answer is empty.',
    failed: 'The call failed',
    cut: 'Only the beginning is shown.',
    sent: 'Request',
  },
  {
    title: '试用',
    about: '用当前设置调用一次，不必先保存。调用是真实的，可能会产生改动。',
    tool: '服务中的工具',
    required: '必填。',
    initial: (value: string) => `不填时为 ${value}`,
    unset: '不发送',
    run: '调用工具',
    wrong: (name: string) => `${name} 的值须是相应类型的 JSON，例如 5、true 或 ["a"]。`,
    noServer: '请先在上面连接服务，再选择其中的工具。',
    milliseconds: (count: number) => `${count} 毫秒`,
    answer: '结果',
    empty: '结果为空。',
    failed: '调用失败',
    cut: '只显示开头部分。',
    sent: '发送的请求',
  },
)

/** Calls a tool as it is typed, with a form made from its parameters. */
export function TryTool({ form }: { form: ToolForm }) {
  const words = useWords()
  const [tool, setTool] = useState('')
  const server = serverOf(form)
  const { data: info } = useServerTools(server)
  const offered = useToolOptions(server)
  if (form.type !== 'http' && form.type !== 'mcp') return null
  const isServer = form.type === 'mcp'
  const { running } = toolOf(form, undefined, true)
  const served = info?.tools.find(({ name }) => name === tool)
  const parameters = isServer
    ? tryParameters(served?.parameters, '')
    : tryParameters(running['parameters'], form.url)
  return (
    <details className="try-tool">
      <summary>{words.title}</summary>
      <p className="soft small">{words.about}</p>
      {isServer && (
        <Field label={words.tool} {...(!info && { help: words.noServer })}>
          {id => <AutoComplete id={id} value={tool} onChange={setTool} {...offered} />}
        </Field>
      )}
      <TryForm
        key={tool}
        parameters={parameters}
        isReady={form.url.trim() !== '' && (!isServer || tool !== '')}
        settings={{ ...running, ...(isServer && { tool }) }}
      />
    </details>
  )
}

interface TryFormProps {
  parameters: readonly TryParameter[]
  settings: object
  isReady: boolean
}

function TryForm({ parameters, settings, isReady }: TryFormProps) {
  const words = useWords()
  const [typed, setTyped] = useState<Record<string, string>>({})
  const [wrong, setWrong] = useState<string>()
  const attempt = useMutation({
    mutationFn: (given: Record<string, unknown>) =>
      call('POST /api/v1/tool/try', { body: { ...settings, arguments: given } }),
  })
  const run = (): void => {
    const read = readArguments(parameters, typed)
    setWrong(read.wrong)
    if (read.wrong === undefined) attempt.mutate(read.given)
  }
  return (
    <>
      {parameters.map(parameter => (
        <ParameterField
          key={parameter.name}
          parameter={parameter}
          value={typed[parameter.name] ?? ''}
          onChange={value => setTyped({ ...typed, [parameter.name]: value })}
        />
      ))}
      {wrong !== undefined && <Alert type="error" showIcon role="alert" title={words.wrong(wrong)} />}
      <Button
        icon={<PlayCircleOutlined aria-hidden />}
        loading={attempt.isPending}
        disabled={!isReady}
        onClick={run}
        className="try-run"
      >
        {words.run}
      </Button>
      {attempt.isError && <Failure error={attempt.error} />}
      {attempt.data && !attempt.isPending && <TryResult trial={attempt.data} />}
    </>
  )
}

interface ParameterFieldProps {
  parameter: TryParameter
  value: string
  onChange(value: string): void
}

function ParameterField({ parameter, value, onChange }: ParameterFieldProps) {
  const words = useWords()
  const { name, description, isRequired, type, initial } = parameter
  const options = parameter.options ?? (type === 'boolean' ? ['true', 'false'] : undefined)
  const help = [isRequired ? words.required : '', description, initial ? words.initial(initial) : '']
  return (
    <Field label={name} help={joinSentences(help) || undefined}>
      {id =>
        options ? (
          <Select
            id={id}
            allowClear
            placeholder={words.unset}
            value={value || undefined}
            options={options.map(each => ({ value: each, label: each }))}
            onChange={(next: string | undefined) => onChange(next ?? '')}
          />
        ) : (
          <Input.TextArea
            id={id}
            {...(type === 'json' && { className: 'code-input' })}
            autoSize={{ minRows: type === 'json' ? 2 : 1, maxRows: 8 }}
            value={value}
            onChange={event => onChange(event.target.value)}
          />
        )
      }
    </Field>
  )
}

type Trial = CallData<'POST /api/v1/tool/try'>

/** The answer in readable form, if it is JSON. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function TryResult({ trial: { request, answer, error, elapsed_ms } }: { trial: Trial }) {
  const words = useWords()
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`)
  return (
    <section className="try-result" aria-label={words.answer} aria-live="polite">
      <p>
        {answer.status !== null && (
          <Badge tone={answer.status < 400 ? 'good' : 'bad'}>HTTP {answer.status}</Badge>
        )}
        <span className="soft small">{words.milliseconds(elapsed_ms)}</span>
      </p>
      {error !== null && <Alert type="error" showIcon title={words.failed} description={error} />}
      {error === null &&
        (answer.text === '' ? <p className="soft">{words.empty}</p> : <pre>{readable(answer.text)}</pre>)}
      {answer.truncated && <p className="soft small">{words.cut}</p>}
      <details>
        <summary>{words.sent}</summary>
        <pre>
          {[`${request.method} ${request.url}`, ...headers, ...(request.body ? ['', request.body] : [])].join(
            '\n',
          )}
        </pre>
      </details>
    </section>
  )
}
