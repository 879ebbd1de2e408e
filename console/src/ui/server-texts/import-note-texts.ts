import type { ImportNoteCode } from '../../../../src/contract/import-notes.ts'
import type { Language } from '../preferences.ts'
import { joinSentences } from './message-facts.ts'

/** The differences of an imported app, in Chinese by the code of the note; the English sentence comes from the server. */
export const chineseImportNotes: Readonly<Record<ImportNoteCode, string>> = {
  note_left_out: '画布上的注释未导入。',
  unconnected: '它没有与开始节点相连，永远不会运行，因此未导入。',
  inside_left_out: '它所在的节点被略去或未能导入。',
  reference_removed: '引用 {reference} 在此应用中找不到对应的内容，已移除。',
  app_id: 'sys.app_id 在这里是智能体的 ID。',
  turns_counted: '对话轮数由节点“Count turns”统计。',
  create_trigger: '请在“触发器”页面为此工作流创建触发器。',

  set_secret: '环境变量“{variable}”是密钥：请在“密钥”页面设置密钥“{secret}”。',
  default_model: '原应用使用的 {models} 已改为默认模型，可在节点中选择其他模型。',
  speech_input: '语音输入在这里是服务器的设置。',
  speech_output: '如需以语音回答，请设置“回复”节点的“语音”。',
  follow_up_questions: '回答后的推荐问题未导入。',
  sensitive_words: '敏感词过滤未导入。',
  annotated_replies: '标注回复未导入。',
  similar_answers: '“更多类似的”按钮未导入。',
  opening_variables: '开场白中的变量不会被替换，将原样显示。',
  file_limits: '应用对用户上传文件的类型和数量限制在这里不生效。',

  query_is_message: '变量“query”在这里是运行时的消息，不在表单中。',
  variable_renamed: '变量“{variable}”在这里名为“{name}”，因为原名称不可用或已被占用。',
  any_file: '“{variable}”接受任何文件，不限于：{types}。',
  default_left_out: '“{variable}”的默认值不是有效的取值，未导入。',
  variable_is_text: '变量“{variable}”的类型“{type}”在这里改为文本。',

  model_settings_left_out: '以下模型参数未导入：{settings}。',
  model_has_settings: '温度和回答长度上限在这里是模型的设置。',
  prompt_examples: '提示词中较早的消息在这里作为示例写入系统提示词。',
  no_vision: '模型只能看到文字，看不到文件。',
  information_dialogue: '此节点通过对话收集信息，直到所有必填项都已获得。',
  agent_time: '模型会直接得到运行开始的时间，不再使用时间工具。',
  agent_search: '工具“{tool}”改用本服务器的联网搜索服务（WEB_SEARCH_URL）。',
  agent_app: '请同时导入应用“{app}”，并在工具“{tool}”中选择它。',
  agent_mcp_url: '请为工具“{tool}”填写 MCP 服务“{server}”的网址。',
  mcp_url: '请填写 MCP 服务的网址。',
  mcp_tool_not_needed: '不需要工具“{tool}”：模型可以直接使用 MCP 服务的工具。',

  search: '使用本服务器的联网搜索服务（WEB_SEARCH_URL）。',
  start_time: '时间为运行开始的时间，格式如 2026-11-16T08:30:00.000+00:00。',
  page_reader: '网页由 r.jina.ai 读取，没有 API 密钥时限额很低；如有密钥，请添加请求头 Authorization。',
  page_html: '得到的是网站返回的 HTML 原文。',
  document_text: '文档的文字由本服务器读取，不含版式和图片。',
  model_translates: '由模型翻译，不使用翻译服务。',
  tool_app: '请同时导入应用“{app}”，并选为此节点的工作流。',
  tool_mcp_url: '请填写 MCP 服务“{server}”的网址。',

  packages_left_out: '无法安装第三方包：{packages}。',
  choose_knowledge: '请在此节点中为数据集 {data_sets} 选择知识库，或在导入时选择。',
  all_knowledge: '会检索所有知识库，而不是由模型选择其中一个。',
  reranking: '重排序在这里是知识库的设置。',
  metadata_filter: '元数据筛选未导入。',
  certificates: '始终会验证证书。',
  body_left_out: '{method} 请求没有请求体，因此请求体未导入。',
  any_status: '任何状态码在这里都算作结果，只有 429 和 5xx 在重试之后才算失败；请用“条件”节点检查 status。',
  basic_authorization: 'Basic 认证信息会原样发送：请保存经 Base64 编码的“用户名:密码”。',
  inner_messages: '内部的消息在运行期间不会发送给用户，请在结束后发送结果。',
  loop_ends_by_any: '内部的节点也可能结束循环，因此满足任一条件循环就会结束。',

  no_kind: '这里没有与“{type}”对应的节点，请用其他节点代替。',
  no_tool: '这里没有“{provider}”的工具“{tool}”，请用 HTTP 请求、MCP 工具或子工作流代替。',
  no_strategy: '这里没有智能体策略“{strategy}”，请使用“智能体”节点。',
  no_language: '这里不能运行“{language}”代码，请用 Python 或 JavaScript 重写。',
  no_comparison: '这里没有比较方式“{comparison}”，请用“条件”节点代替。',
  no_list_comparison: '这里不能对文件列表使用比较方式“{comparison}”，请用“列表操作”节点筛选。',
  no_element_number: '要取第几项必须直接写明，请设置“列表操作”节点的“起始位置”。',
  no_operation: '这里没有操作“{operation}”，请用“代码”节点计算该值。',
  no_conversation_variable: '“{variable}”不是对话变量，请选择此应用声明的变量。',
}

interface ReportLine {
  readonly message: string
  readonly notes: readonly { readonly code: string; readonly values: Readonly<Record<string, string>> }[]
}

/** A newer server may know further codes: then its sentences are shown. */
export function importNoteText(language: Language, { message, notes }: ReportLine): string {
  if (language === 'en' || !notes.every(({ code }) => Object.hasOwn(chineseImportNotes, code))) return message
  return joinSentences(
    notes.map(({ code, values }) =>
      chineseImportNotes[code as ImportNoteCode].replace(/\{(\w+)\}/g, (name, key) => values[key] ?? name),
    ),
  )
}
