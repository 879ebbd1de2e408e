import type { ItemOf } from '../../api/operations.ts'
import { useLanguage } from '../../ui/preferences.ts'
import { defineWords } from '../../ui/words.ts'

export type AuditEntry = ItemOf<'GET /api/v1/audit'>

export const useAuditWords = defineWords(
  {
    title: 'Audit log',
    about: 'Who changed what in this workspace. Entries cannot be changed.',
    time: 'Time',
    actor: 'Token',
    change: 'Change',
    details: 'Details',
    address: 'Address',
    anyActor: 'All tokens',
    objectId: 'Object ID',
    commandLine: 'Command line',
    changed: (names: string) => `also: ${names}`,
    more: 'Load more',
    empty: 'No changes match.',
    none: 'No changes yet.',
    whyNotTitle: 'Only admins can read the audit log',
    whyNot: 'Your token has another role.',
    home: 'Go to overview',
  },
  {
    title: '审计日志',
    about: '谁在这个工作空间中做了哪些修改。日志条目不可更改。',
    time: '时间',
    actor: '令牌',
    change: '修改',
    details: '详情',
    address: '来源地址',
    anyActor: '所有令牌',
    objectId: '对象 ID',
    commandLine: '命令行',
    changed: (names: string) => `另有：${names}`,
    more: '加载更多',
    empty: '没有符合条件的修改。',
    none: '还没有修改。',
    whyNotTitle: '审计日志仅供管理员查看',
    whyNot: '你的令牌是其他角色。',
    home: '回到概览',
  },
)

type Names = Readonly<Record<string, readonly [english: string, chinese: string]>>

const kinds: Names = {
  workflow: ['Workflow', '工作流'],
  agent: ['Agent', '智能体'],
  conversation: ['Conversation', '对话'],
  knowledge: ['Knowledge base', '知识库'],
  files: ['File', '文件'],
  model: ['Model', '模型'],
  secret: ['Secret', '密钥'],
  token: ['Access token', '访问令牌'],
  workspace: ['Workspace', '工作空间'],
}

const actions: Names = {
  create: ['created', '创建'],
  update: ['updated', '修改'],
  delete: ['deleted', '删除'],
  rollback: ['rolled back', '回滚'],
  publish: ['published', '发布'],
  unpublish: ['unpublished', '取消发布'],
  note: ['version noted', '修改版本说明'],
  import: ['imported', '导入'],
  add: ['documents added', '添加文档'],
  rebind: ['documents re-processed', '重新处理文档'],
  deleteFile: ['document removed', '移除文档'],
  updateChunk: ['passage edited', '修改段落'],
  upload: ['uploaded', '上传'],
  set: ['value set', '设置'],
}

/** `agent.update` as “Agent updated”. What a newer server knows is shown by its name. */
export function useOperationName(): (operation: string) => string {
  const language = useLanguage()
  const at = language === 'zh' ? 1 : 0
  return operation => {
    const [kind = '', action = ''] = operation.split('.')
    const [object, verb] = [kinds[kind]?.[at], actions[action]?.[at]]
    if (!object || !verb) return operation
    return language === 'zh' ? `${object}：${verb}` : `${object} ${verb}`
  }
}
