/** The findings of the workflow check, in Chinese by rule; the English text comes with the finding from the server. */
export const chineseRules: Readonly<Record<string, string>> = {
  no_input: '缺少输入节点，运行需要从它开始。',
  no_end: '缺少结束节点，运行需要由它收尾。',
  cycle: '这些节点连成了环，请删除其中一条连线。',
  unreachable: '从输入节点无法到达这里，它永远不会运行。',
  branch_unknown: '连线所属的分支已不存在，永远不会走这条连线。请为它选择分支，或删除它。',
  reference_malformed: '引用不完整，应写成 {{#节点ID.输出名#}}。',
  reference_unmarked: '这里会原样输出；要插入内容，请写成 {{#节点ID.输出名#}}。',
  reference_unknown_node: '引用的节点不存在。',
  reference_not_before: '引用的内容此时还没有产生，请改用前面节点的输出，或用连线把那个节点接到前面。',
  reference_may_be_skipped: '引用的节点可能会被跳过，那时这里是空文本。',
  reference_disabled: '引用的节点已禁用，这里始终是空文本。请启用该节点，或删除引用。',
  reference_unknown_output: '引用的输出不存在。',
  unknown_kind: '不支持这种类型的节点；它会保留，但不能运行。',
  node_id_too_long: '节点 ID 太长，最多 200 个字符。',
  secret_not_allowed:
    '这里的内容会给模型或用户看到，不能使用密钥；密钥只能用在请求的网址、请求头、查询参数、请求体和工具参数中。',
  secret_unknown: '引用的密钥不存在，请在“密钥”页面添加。',
  tool_unknown: '引用的共享工具不存在，可能已被删除。请选择其他工具，或把它移除。',
  tool_wrong_type:
    '这种节点不能调用该共享工具：HTTP 请求节点只能调用 HTTP 工具，MCP 节点只能调用 MCP 服务。请选择其他工具。',
  knowledge_unknown: '这里的知识库不存在，可能已被删除。请选择其他知识库，或把它移除。',
  secret_used: '导入的工作流会发送本工作空间的密钥，运行前请确认它发往哪里。',
  credential_in_graph:
    '这里直接写了密钥或密码。请把它保存到“密钥”页面，并改写成 {{#secret.名称#}}；查看者只会看到 •••，导出时会被替换。',
  null_setting: '这里是 null，按未填写处理；请删除该字段，或填写内容。',
  setting_out_of_range: '这项设置不在允许的范围内，运行时会使用最接近的允许值；请改正。',
  code_unsupported: '这段代码用到了这里的 Python 不支持的模块或语法，运行到那一行会失败。',
  missing_setting: '还有必填的设置没有填写。',
}
