import type {
  KindField,
  KindRecord,
  KindShape,
  KindsData,
  LocalizedText,
} from '../contract/kind-operations.ts'
import { type FieldShape, field, type KindDefinition, type KindFields } from './kind-definition.ts'
import { kindDefinitions } from './registry.ts'

/** Everything that an editor needs to offer the kinds of nodes. */
export const kindCatalog = (): KindsData => ({
  kinds: kindDefinitions.map(describeKind),
  common: describeFields(commonFields, []),
  system: Object.entries(systemValues).map(([name, about]) => ({ name, about })),
})

const describeKind = (kind: KindDefinition): KindRecord => ({
  kind: kind.kind,
  node_type: kind.nodeType,
  group: kind.group,
  title: kind.label,
  about: kind.about,
  fields: describeFields(kind.fields, kind.required),
  outputs: kind.outputs({})?.slice() ?? null,
  branches: kind.cases !== undefined,
  data: kind.initialData,
  ...(kind.initialDataZh && { data_zh: kind.initialDataZh }),
  hidden: kind.isHidden === true,
})

const describeFields = (fields: KindFields, required: readonly string[]): KindField[] =>
  Object.entries(fields).map(([name, field]) => ({
    name,
    label: field.label,
    help: field.help ?? null,
    required: required.includes(name),
    shape: describeShape(field),
    ...(field.unless && { unless: field.unless }),
    ...(field.with && { with: field.with }),
  }))

function describeShape(shape: FieldShape): KindShape {
  if (shape.is === 'object')
    return { is: shape.is, fields: describeFields(shape.fields, shape.required ?? []) }
  const unset = { of: undefined, options: undefined, input: undefined, secrets: undefined, local: undefined }
  const { is, of, options, input, secrets, local } = { ...unset, ...shape }
  return {
    is,
    ...(of && { of: describeShape(of) }),
    ...(options && {
      options: Object.entries(options).map(([value, { en, zh, data }]) => ({
        value,
        label: { en, zh },
        ...(data && { data }),
      })),
    }),
    ...(input && { input }),
    ...(secrets === true && { secrets }),
    ...(local && { local }),
  }
}

/** The fields that every node may have, as the engine checks them (`commonFields` of workflow/node-kind.ts). */
const commonFields: KindFields = {
  title: field(
    { is: 'text' },
    ['Title', 'Shown on the canvas and in run details.'],
    ['名称', '节点在画布和运行记录中的名称。'],
  ),
  desc: field(
    { is: 'text', input: 'paragraph' },
    ['Description', 'A note for readers of the workflow.'],
    ['说明', '写给阅读此工作流的人。'],
  ),
  disabled: field(
    { is: 'boolean' },
    [
      'Disabled',
      'Runs skip the node and continue after it. Its outputs are empty; a branching node takes no branch. Input and end always run.',
    ],
    [
      '禁用',
      '运行时跳过此节点，继续执行后面的节点；它的输出为空，分支节点不走任何分支。输入和结束节点始终运行。',
    ],
  ),
  timeout_ms: field(
    { is: 'number' },
    ['Timeout (ms)', 'Limit of one attempt, up to 20 minutes.'],
    ['超时（毫秒）', '一次尝试的时间上限，不超过 20 分钟。'],
  ),
  retry: field(
    {
      is: 'object',
      fields: {
        times: field({ is: 'number' }, ['Retries', 'From 0 to 9.'], ['重试次数', '0 到 9。']),
        delay_ms: field(
          { is: 'number' },
          ['Delay (ms)', 'Before each retry, up to 60000; grows with each retry if empty.'],
          ['间隔（毫秒）', '每次重试前的等待，不超过 60000；不填时逐次变长。'],
        ),
      },
    },
    ['Retry', 'What happens after a failed attempt.'],
    ['重试', '一次尝试失败后如何重试。'],
  ),
  on_error: field(
    {
      is: 'tree',
      options: {
        fail: { en: 'Fail the run', zh: '整个运行失败' },
        skip: { en: 'Skip the node', zh: '跳过此节点' },
        branch: { en: 'Take the error branch', zh: '走错误分支' },
      },
    },
    [
      'On error',
      'Applies after the last attempt. The error branch is a port of its own on the canvas; the error is in {{#node.error.message#}}. {"default": {…}} continues with these outputs instead.',
    ],
    [
      '失败时',
      '最后一次尝试也失败之后的处理方式。错误分支在画布上有单独的端口，错误信息在 {{#node.error.message#}} 中。{"default": {…}} 可给出代替的输出，让流程继续。',
    ],
  ),
}

/** What `{{#sys.…#}}` can refer to. */
const systemValues: Readonly<Record<string, LocalizedText>> = {
  query: { en: "The user's message.", zh: '用户的消息。' },
  files: {
    en: 'The files that the user sent, of this message first, then of recent turns. sys.inputs.files has those of this message only.',
    zh: '用户发来的文件：先是本条消息的，然后是最近几轮的。sys.inputs.files 只含本条消息的文件。',
  },
  action: { en: 'The action that the client sent.', zh: '客户端发来的动作内容。' },
  conversation_id: { en: 'ID of the conversation.', zh: '对话的 ID。' },
  user_id: { en: 'ID of the user.', zh: '用户的 ID。' },
  agent_id: { en: 'ID of the agent that answers.', zh: '当前智能体的 ID。' },
  run_id: { en: 'ID of this run.', zh: '本次运行的 ID。' },
  time: { en: 'Start time of the run.', zh: '本次运行开始的时间。' },
  history: { en: 'Earlier messages of the conversation.', zh: '对话中之前的消息。' },
  inputs: { en: 'All inputs of the run.', zh: '本次运行的全部输入。' },
  model: {
    en: 'The default model of the run; empty if there is none.',
    zh: '本次运行的默认模型；没有时为空。',
  },
  item: { en: 'The current item of an iteration.', zh: '迭代中的当前项。' },
  index: {
    en: 'The index of the current item of an iteration, or of the round of a loop, from 0.',
    zh: '迭代中当前项的序号，或循环的轮次，从 0 开始。',
  },
}
