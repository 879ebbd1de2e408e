import { useLanguage } from '../../ui/preferences.ts'
import { explainInLine } from '../../ui/server-texts/message-facts.ts'
import { defineWords } from '../../ui/words.ts'
import type { Trigger } from './use-triggers.ts'

export const useTriggerWords = defineWords(
  {
    title: 'Triggers',
    about: 'Schedules and webhooks that start workflows.',
    add: 'New trigger',
    search: 'Search triggers',
    emptyTitle: 'Start workflows automatically',
    empty:
      'A schedule runs a workflow at set times, such as a report every morning. A webhook runs one whenever another system sends a request, such as a new order or a new issue.',
    onlyEditors: 'Your token can only view triggers. Editors and admins can change them.',
    name: 'Name',
    workflow: 'Workflow',
    schedule: 'Schedule',
    webhook: 'Webhook',
    next: 'Next run',
    none: 'none',
    onRequest: 'On request',
    last: 'Last run',
    never: 'Not run yet',
    enabled: 'Enabled',
    enable: (name: string) => `Enable ${name}`,
    edit: 'Edit',
    editNamed: (name: string) => `Edit ${name}`,
    delete: 'Delete',
    deleteNamed: (name: string) => `Delete ${name}`,
    deleteSure: (name: string) => `Delete ${name}?`,
    deleteLost: 'It will not start any more runs. Its past runs are kept.',
    deleted: (name: string) => `${name} deleted`,
    noStart: 'Could not start',
    failed: (count: number) =>
      count === 1 ? 'The last time no run was started' : `No run was started ${count} times in a row`,
    upcoming: 'Next occurrences',
    timezone: (zone: string) => `Times in ${zone}`,
    disabled: 'Disabled: it does not start runs.',
    over: 'No further occurrences.',
    runs: 'Runs',
    noRuns: 'No runs yet.',
    call: 'Call it',
    copy: 'Copy example',
    secretPlace: '<secret>',
    newSecret: 'New secret',
    newSecretSure: 'Replace the secret?',
    newSecretLost: 'Senders that use the current secret are refused immediately.',
    signed:
      'The sender signs each request as in Standard Webhooks: webhook-id, webhook-timestamp, webhook-signature.',
    github:
      'Enter the URL and the secret in the webhook settings of GitHub or Gitea, with content type JSON.',
  },
  {
    title: '触发器',
    about: '按时间或外部请求自动启动工作流。',
    add: '新建触发器',
    search: '搜索触发器',
    emptyTitle: '让工作流自动运行',
    empty:
      '定时触发器在指定的时间运行工作流，例如每天早上生成报告；Webhook 在其他系统发来请求时运行工作流，例如有新订单或新工单时。',
    onlyEditors: '你的令牌只能查看触发器，编辑者和管理员可以修改。',
    name: '名称',
    workflow: '工作流',
    schedule: '定时',
    webhook: 'Webhook',
    next: '下次运行',
    none: '无',
    onRequest: '收到请求时',
    last: '最近一次运行',
    never: '尚未运行',
    enabled: '启用',
    enable: (name: string) => `启用 ${name}`,
    edit: '编辑',
    editNamed: (name: string) => `编辑 ${name}`,
    delete: '删除',
    deleteNamed: (name: string) => `删除 ${name}`,
    deleteSure: (name: string) => `删除 ${name}？`,
    deleteLost: '之后不再启动运行，已有的运行记录会保留。',
    deleted: (name: string) => `已删除 ${name}`,
    noStart: '未能启动',
    failed: (count: number) => (count === 1 ? '最近一次未能启动运行' : `连续 ${count} 次未能启动运行`),
    upcoming: '接下来的运行时间',
    timezone: (zone: string) => `时区：${zone}`,
    disabled: '已停用，不会启动运行。',
    over: '之后不再运行。',
    runs: '运行记录',
    noRuns: '还没有运行。',
    call: '如何调用',
    copy: '复制示例',
    secretPlace: '<密钥>',
    newSecret: '更换密钥',
    newSecretSure: '更换密钥？',
    newSecretLost: '使用当前密钥的发送方会立即被拒绝。',
    signed:
      '发送方按 Standard Webhooks 规范为每个请求签名：webhook-id、webhook-timestamp、webhook-signature。',
    github: '在 GitHub 或 Gitea 的 Webhook 设置中填写网址和密钥，内容类型选择 JSON。',
  },
)

/** Why no run was started, in the language of the console. */
export function useFailureText(): (failure: NonNullable<Trigger['failure']>) => string {
  const language = useLanguage()
  return failure =>
    failure.reason === 'missed' && language === 'zh'
      ? '服务中断期间错过了一些运行时间。'
      : explainInLine(language, failure)
}
