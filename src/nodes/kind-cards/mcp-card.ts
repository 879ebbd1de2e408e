import type { KindCard } from './kind-card.ts'

export const mcpCard: KindCard = {
  group: 'tools',
  title: { en: 'MCP tool', zh: 'MCP 工具' },
  about: {
    en: 'Calls a tool of a server that speaks the Model Context Protocol.',
    zh: '调用 MCP（Model Context Protocol）服务提供的工具。',
  },
  fields: {
    url: {
      label: { en: 'Address', zh: '服务地址' },
      help: { en: 'Where the server is reached by HTTP.', zh: 'MCP 服务的 HTTP 地址。' },
    },
    tool: {
      label: { en: 'Tool', zh: '工具' },
      help: { en: 'Its name on the server.', zh: '工具在该服务中的名称。' },
    },
    arguments: {
      label: { en: 'Arguments', zh: '参数' },
      help: {
        en: 'An object, or a reference that gives one.',
        zh: '一个对象，或给出对象的引用。',
      },
    },
    headers: {
      label: { en: 'Headers', zh: '请求头' },
      help: {
        en: 'By name, such as the key that the server asks for.',
        zh: '按名称填写，例如服务要求的密钥。',
      },
    },
  },
  data: { url: '', tool: '', arguments: {} },
}
