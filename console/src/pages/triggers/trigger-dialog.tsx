import { useMutation } from '@tanstack/react-query'
import { Form, Input, Radio, Select } from 'antd'
import { call } from '../../api/call.ts'
import { optionsOf, useWorkflowNames } from '../../api/queries.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { SecretLines } from '../../ui/secret-once.tsx'
import { ownTimezone, TimezoneSelect } from '../../ui/timezone-select.tsx'
import { defineWords } from '../../ui/words.ts'
import { TriggerVariables } from './trigger-variables.tsx'
import { type Trigger, useRefreshTriggers } from './use-triggers.ts'

const useWords = defineWords(
  {
    create: 'New trigger',
    edit: (name: string) => `Edit ${name}`,
    done: 'Done',
    kind: 'Type',
    schedule: 'Schedule: at set times',
    webhook: 'Webhook: when another system sends a request',
    name: 'Name',
    nameNeeded: 'Enter a name',
    workflow: 'Workflow',
    workflowNeeded: 'Choose a workflow',
    cron: 'Cron expression',
    cronAbout:
      'Minute, hour, day, month, weekday. 0 9 * * 1-5 is 9:00 on weekdays, */15 * * * * every 15 minutes.',
    cronNeeded: 'Enter a cron expression',
    timezone: 'Time zone',
    missed: 'After a downtime',
    run_latest: 'Run the latest missed occurrence once',
    skip: 'Skip missed occurrences',
    auth: 'Sender verification',
    secret: 'Secret in a header',
    signature: 'Signature (Standard Webhooks)',
    github: 'Signature of GitHub or Gitea',
    answer: 'Response',
    async: 'Immediately, with the run ID',
    sync: 'When the run ends, with its result',
    inputs: 'Inputs (JSON)',
    scheduleInputs: 'For example {"query": "Report of {{#trigger.time#}}"}',
    webhookInputs:
      'For example {"query": "{{#trigger.body.issue.title#}}", "event": "{{#trigger.headers.x-github-event#}}"}',
    inputsNeeded: 'Enter a JSON object',
    ready: (name: string) => `${name} is ready`,
    once: 'Copy the secret now. You cannot view it again.',
    url: 'URL',
    copyUrl: 'Copy URL',
    theSecret: 'Secret',
    copySecret: 'Copy secret',
  },
  {
    create: '新建触发器',
    edit: (name: string) => `编辑 ${name}`,
    done: '完成',
    kind: '类型',
    schedule: '定时：在指定的时间运行',
    webhook: 'Webhook：收到其他系统的请求时运行',
    name: '名称',
    nameNeeded: '请填写名称',
    workflow: '工作流',
    workflowNeeded: '请选择工作流',
    cron: 'Cron 表达式',
    cronAbout: '依次为分、时、日、月、星期。0 9 * * 1-5 表示工作日 9:00，*/15 * * * * 表示每 15 分钟。',
    cronNeeded: '请填写 Cron 表达式',
    timezone: '时区',
    missed: '服务中断之后',
    run_latest: '补运行最近错过的一次',
    skip: '跳过错过的运行',
    auth: '发送方验证',
    secret: '请求头中的密钥',
    signature: '签名（Standard Webhooks）',
    github: 'GitHub 或 Gitea 的签名',
    answer: '响应',
    async: '立即返回运行 ID',
    sync: '运行结束后返回结果',
    inputs: '输入（JSON）',
    scheduleInputs: '例如 {"query": "{{#trigger.time#}} 的报告"}',
    webhookInputs:
      '例如 {"query": "{{#trigger.body.issue.title#}}", "event": "{{#trigger.headers.x-github-event#}}"}',
    inputsNeeded: '请填写 JSON 对象',
    ready: (name: string) => `${name} 已就绪`,
    once: '请立即复制密钥，关闭后无法再次查看。',
    url: '网址',
    copyUrl: '复制网址',
    theSecret: '密钥',
    copySecret: '复制密钥',
  },
)

interface TriggerFields {
  kind: Trigger['kind']
  name: string
  workflow_id: string
  inputs: string
  schedule?: NonNullable<Trigger['schedule']>
  webhook?: Pick<NonNullable<Trigger['webhook']>, 'auth' | 'answer'>
}

const initialFields = (trigger: Trigger | undefined): Partial<TriggerFields> => ({
  kind: trigger?.kind ?? 'schedule',
  name: trigger?.name ?? '',
  ...(trigger && { workflow_id: trigger.workflow_id }),
  inputs: trigger ? JSON.stringify(trigger.inputs, null, 2) : '',
  schedule: trigger?.schedule ?? {
    cron: '0 9 * * 1-5',
    timezone: ownTimezone(),
    missed: 'run_latest',
  },
  webhook: trigger?.webhook ?? { auth: 'secret', answer: 'async' },
})

/** Undefined for an empty text, for which the server has a default. */
function parsedInputs(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return undefined
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('not an object')
  return value as Record<string, unknown>
}

/** Undefined while the text is not valid. */
function readInputs(text: string): Record<string, unknown> | undefined {
  try {
    return parsedInputs(text) ?? {}
  } catch {
    return undefined
  }
}

const save = (trigger: Trigger | undefined, fields: TriggerFields) => {
  const inputs = parsedInputs(fields.inputs)
  const kind = trigger?.kind ?? fields.kind
  const body = {
    name: fields.name.trim(),
    workflow_id: fields.workflow_id,
    ...(inputs && { inputs }),
    ...(kind === 'schedule' && fields.schedule && { schedule: fields.schedule }),
    ...(kind === 'webhook' && fields.webhook && { webhook: fields.webhook }),
  }
  return trigger
    ? call('POST /api/v1/trigger/update', { body: { id: trigger.id, ...body } })
    : call('POST /api/v1/trigger/create', { body: { kind, ...body } })
}

interface TriggerDialogProps {
  /** The trigger that is edited; without it, one is created. */
  trigger: Trigger | undefined
  onClose(): void
}

export function TriggerDialog({ trigger, onClose }: TriggerDialogProps) {
  const words = useWords()
  const refresh = useRefreshTriggers()
  const [form] = Form.useForm<TriggerFields>()
  const kind = Form.useWatch('kind', form) ?? trigger?.kind ?? 'schedule'
  const workflowId = Form.useWatch('workflow_id', form)
  const inputs = Form.useWatch('inputs', form) ?? ''
  const saving = useMutation({
    mutationFn: (fields: TriggerFields) => save(trigger, fields),
    onSuccess: async saved => {
      await refresh()
      if (saved.secret === null) onClose()
    },
  })
  const made = saving.data?.secret ? saving.data : undefined
  if (made)
    return <NewSecret path={made.path ?? ''} secret={made.secret ?? ''} name={made.name} onClose={onClose} />
  return (
    <FormDialog
      title={trigger ? words.edit(trigger.name) : words.create}
      name="trigger"
      isNamedAsRequest
      saving={saving}
      form={form}
      initial={initialFields(trigger)}
      onClose={onClose}
    >
      <Form.Item name="kind" label={words.kind} hidden={trigger !== undefined}>
        <Radio.Group
          aria-label={words.kind}
          vertical
          options={(['schedule', 'webhook'] as const).map(value => ({ value, label: words[value] }))}
        />
      </Form.Item>
      <Form.Item
        name="name"
        label={words.name}
        rules={[{ required: true, whitespace: true, message: words.nameNeeded }]}
      >
        <Input autoFocus autoComplete="off" maxLength={255} />
      </Form.Item>
      <WorkflowField />
      {kind === 'schedule' ? <ScheduleFields /> : <WebhookFields />}
      <TriggerVariables
        {...{ workflowId, kind }}
        inputs={readInputs(inputs)}
        onInputs={next => form.setFieldValue('inputs', JSON.stringify(next, null, 2))}
      />
      <InputsField kind={kind} />
    </FormDialog>
  )
}

function WorkflowField() {
  const words = useWords()
  const names = useWorkflowNames()
  return (
    <Form.Item
      name="workflow_id"
      label={words.workflow}
      rules={[{ required: true, message: words.workflowNeeded }]}
    >
      <Select
        loading={names === undefined}
        showSearch={{ optionFilterProp: 'label' }}
        options={optionsOf(names)}
      />
    </Form.Item>
  )
}

function ScheduleFields() {
  const words = useWords()
  return (
    <>
      <Form.Item
        name={['schedule', 'cron']}
        label={words.cron}
        extra={words.cronAbout}
        rules={[{ required: true, whitespace: true, message: words.cronNeeded }]}
      >
        <Input autoComplete="off" spellCheck={false} maxLength={120} />
      </Form.Item>
      <Form.Item name={['schedule', 'timezone']} label={words.timezone}>
        <TimezoneSelect />
      </Form.Item>
      <Form.Item name={['schedule', 'missed']} label={words.missed}>
        <Select options={(['run_latest', 'skip'] as const).map(value => ({ value, label: words[value] }))} />
      </Form.Item>
    </>
  )
}

function WebhookFields() {
  const words = useWords()
  return (
    <>
      <Form.Item name={['webhook', 'auth']} label={words.auth}>
        <Select
          options={(['secret', 'signature', 'github'] as const).map(value => ({
            value,
            label: words[value],
          }))}
        />
      </Form.Item>
      <Form.Item name={['webhook', 'answer']} label={words.answer}>
        <Select options={(['async', 'sync'] as const).map(value => ({ value, label: words[value] }))} />
      </Form.Item>
    </>
  )
}

function InputsField({ kind }: { kind: Trigger['kind'] }) {
  const words = useWords()
  const check = (_: unknown, text: string): Promise<void> => {
    try {
      parsedInputs(text)
      return Promise.resolve()
    } catch {
      return Promise.reject(new Error(words.inputsNeeded))
    }
  }
  return (
    <Form.Item
      name="inputs"
      label={words.inputs}
      extra={kind === 'schedule' ? words.scheduleInputs : words.webhookInputs}
      rules={[{ validator: check }]}
      style={{ marginBottom: 0 }}
    >
      <Input.TextArea rows={4} autoComplete="off" spellCheck={false} />
    </Form.Item>
  )
}

interface NewSecretProps {
  name: string
  path: string
  secret: string
  onClose(): void
}

/** The address and the secret of a webhook, which cannot be viewed again. */
export function NewSecret({ name, path, secret, onClose }: NewSecretProps) {
  const words = useWords()
  const url = `${window.location.origin}${path}`
  return (
    <Dialog
      open
      title={words.ready(name)}
      okText={words.done}
      onOk={onClose}
      onCancel={onClose}
      // A stray key must not dismiss a secret that is shown only once.
      keyboard={false}
      cancelButtonProps={{ style: { display: 'none' } }}
    >
      <SecretLines
        once={words.once}
        lines={[
          { title: words.url, text: url, copy: words.copyUrl },
          { title: words.theSecret, text: secret, copy: words.copySecret },
        ]}
      />
    </Dialog>
  )
}
