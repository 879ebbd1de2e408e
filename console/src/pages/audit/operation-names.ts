import type { Language } from '../../ui/preferences.ts'

type Names = Readonly<Record<string, readonly [english: string, chinese: string]>>

const kinds: Names = {
  workflow: ['Workflow', '工作流'],
  agent: ['Agent', '智能体'],
  conversation: ['Conversation', '对话'],
  annotation: ['Annotation', '标注'],
  knowledge: ['Knowledge base', '知识库'],
  files: ['File', '文件'],
  tool: ['Tool', '工具'],
  trigger: ['Trigger', '触发器'],
  test: ['Test set', '测试集'],
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
  export: ['exported', '导出'],
  add: ['documents added', '添加文档'],
  rebind: ['documents re-processed', '重新处理文档'],
  deleteFile: ['document removed', '移除文档'],
  createChunk: ['passage added', '添加段落'],
  updateChunk: ['passage edited', '修改段落'],
  deleteChunk: ['passage deleted', '删除段落'],
  createGoldenQuestion: ['golden question added', '添加标准问题'],
  updateGoldenQuestion: ['golden question edited', '修改标准问题'],
  deleteGoldenQuestion: ['golden question deleted', '删除标准问题'],
  importGoldenQuestions: ['golden questions imported', '导入标准问题'],
  acceptGoldenRun: ['run of golden questions accepted', '接受标准问题的运行结果'],
  discardGoldenRun: ['change discarded', '放弃更改'],
  addWebPages: ['web pages added', '添加网页'],
  updateWebPage: ['web page edited', '修改网页'],
  refreshWebPage: ['web page refreshed', '刷新网页'],
  deleteWebPage: ['web page deleted', '删除网页'],
  upload: ['uploaded', '上传'],
  set: ['value set', '设置'],
  saveCase: ['case saved', '保存用例'],
  importCases: ['cases imported', '导入用例'],
  deleteCase: ['case deleted', '删除用例'],
}

/** `agent.update` as “Agent updated”. Operations of a newer server are shown by their own name. */
export function operationName(language: Language, operation: string): string {
  const at = language === 'zh' ? 1 : 0
  const [kind = '', action = ''] = operation.split('.')
  const [object, verb] = [kinds[kind]?.[at], actions[action]?.[at]]
  if (!object || !verb) return operation
  return language === 'zh' ? `${object}：${verb}` : `${object} ${verb}`
}
