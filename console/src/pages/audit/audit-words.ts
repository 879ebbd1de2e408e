import type { ItemOf } from '../../api/operations.ts'
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
