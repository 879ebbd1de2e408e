import type { ItemOf } from '../../api/operations.ts'
import { defineWords } from '../../ui/words.ts'

export type Secret = ItemOf<'POST /api/v1/secret/list'>

export const useSecretWords = defineWords(
  {
    title: 'Secrets',
    about: 'API keys and passwords for the requests of workflows and agents.',
    add: 'Add a secret',
    search: 'Search secrets',
    onlyEditors: 'Your token can only view the names of secrets. Editors and admins can change them.',
    name: 'Name',
    copy: (name: string) => `Copy the reference to ${name}`,
    changed: 'Last changed',
    by: 'By',
    unreadable: 'Cannot be decrypted',
    unreadableAbout: 'SECRET_KEY of the server has probably changed. Enter the value again.',
    replace: 'Replace',
    replaceNamed: (name: string) => `Replace the value of ${name}`,
    delete: 'Delete',
    deleteNamed: (name: string) => `Delete ${name}`,
    deleteSure: (name: string) => `Delete ${name}?`,
    deleteLost: 'Steps and tools that use it will fail. This cannot be undone.',
    deleted: (name: string) => `${name} deleted`,
    emptyTitle: 'Keep keys out of workflows',
    empty:
      'Store an API key here once and write {{#secret.name#}} in the URL, headers or body of a request, or in a tool. The value is encrypted, cannot be read back, and does not appear in workflows, exports or run traces.',
  },
  {
    title: '密钥',
    about: '工作流和智能体发送请求时使用的 API 密钥和密码。',
    add: '添加密钥',
    search: '搜索密钥',
    onlyEditors: '你的令牌只能查看有哪些密钥，编辑者和管理员可以修改。',
    name: '名称',
    copy: (name: string) => `复制 ${name} 的引用`,
    changed: '最近修改',
    by: '修改者',
    unreadable: '无法解密',
    unreadableAbout: '服务器的 SECRET_KEY 可能已更改，请重新填写密钥的值。',
    replace: '更换',
    replaceNamed: (name: string) => `更换 ${name} 的值`,
    delete: '删除',
    deleteNamed: (name: string) => `删除 ${name}`,
    deleteSure: (name: string) => `删除 ${name}？`,
    deleteLost: '使用它的步骤和工具会失败，且无法恢复。',
    deleted: (name: string) => `已删除 ${name}`,
    emptyTitle: '不要把密钥写进工作流',
    empty:
      '在这里保存一次 API 密钥，然后在请求的网址、请求头、请求体或模型的工具中写 {{#secret.名称#}}。密钥加密保存，之后任何人都无法查看，也不会出现在工作流、导出文件和运行记录中。',
  },
)
