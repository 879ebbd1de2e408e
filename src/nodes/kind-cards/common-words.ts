import type { LocalizedText } from '../../contract/kind-operations.ts'
import type { FieldWords } from './kind-card.ts'

/** Of the fields that every node may have. */
export const commonFieldWords: Readonly<Record<string, FieldWords>> = {
  title: {
    label: { en: 'Title', zh: '名称' },
    help: {
      en: 'What the node is called in the drawing and in traces.',
      zh: '节点在画布和运行记录中的名称。',
    },
  },
  desc: {
    label: { en: 'Description', zh: '说明' },
    help: { en: 'A note for whoever reads the workflow.', zh: '写给阅读此工作流的人。' },
  },
  timeout_ms: {
    label: { en: 'Time limit (ms)', zh: '超时（毫秒）' },
    help: {
      en: 'How long one attempt may take, up to 20 minutes.',
      zh: '一次尝试最多用多长时间，不超过 20 分钟。',
    },
  },
  retry: {
    label: { en: 'Retries', zh: '重试' },
    help: { en: 'What happens when an attempt failed.', zh: '一次尝试失败后如何重试。' },
    fields: {
      times: {
        label: { en: 'Further attempts', zh: '重试次数' },
        help: { en: 'From 0 to 9.', zh: '0 到 9。' },
      },
      delay_ms: {
        label: { en: 'Pause (ms)', zh: '间隔（毫秒）' },
        help: {
          en: 'Before each further attempt, up to 60000; one that grows where it is not set.',
          zh: '每次重试前的等待，不超过 60000；不填时逐次变长。',
        },
      },
    },
  },
  on_error: {
    label: { en: 'When it fails', zh: '失败时' },
    help: {
      en: 'After the last attempt. {"default": {…}} gives outputs to go on with instead.',
      zh: '最后一次尝试也失败之后怎么办。{"default": {…}} 可给出代替的输出，让流程继续。',
    },
    options: {
      fail: { en: 'The run fails', zh: '整个运行失败' },
      skip: { en: 'Skip the node', zh: '跳过此节点' },
    },
  },
}

/** Of what can be referred to as `sys.…`. */
export const systemWords: Readonly<Record<string, LocalizedText>> = {
  query: { en: 'What the user said.', zh: '用户说的话。' },
  files: { en: 'The files that the user sent.', zh: '用户发来的文件。' },
  action: { en: "What the program on the user's side sent.", zh: '用户那一端的程序发来的动作内容。' },
  conversation_id: { en: 'Id of the conversation.', zh: '对话的 id。' },
  user_id: { en: 'Who the user is.', zh: '用户的 id。' },
  agent_id: { en: 'Id of the agent that the user talks to.', zh: '用户正在对话的智能体的 id。' },
  run_id: { en: 'Id of this run.', zh: '本次运行的 id。' },
  time: { en: 'When the run began.', zh: '本次运行开始的时间。' },
  history: { en: 'What was said before in the conversation.', zh: '对话中之前说过的内容。' },
  inputs: { en: 'Everything the run was handed.', zh: '本次运行得到的全部输入。' },
  model: {
    en: 'The model that is used where a node names none; empty when there is none.',
    zh: '节点没有指定时使用的模型；没有时为空。',
  },
  item: { en: 'Inside an iteration: the item.', zh: '循环中的当前项。' },
  index: {
    en: 'Inside an iteration: the number of the item, from 0.',
    zh: '循环中当前项的序号，从 0 开始。',
  },
}
