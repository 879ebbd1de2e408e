import type { KindCard } from './kind-card.ts'

export const httpRequestCard: KindCard = {
  group: 'tools',
  title: { en: 'HTTP request', zh: 'HTTP 请求' },
  about: {
    en: 'Calls an address. Any status is a result; only with retries set are 429 and 5xx failures.',
    zh: '请求一个网址。任何状态码都算结果；只有设置了重试，429 和 5xx 才算失败。',
  },
  fields: {
    method: {
      label: { en: 'Method', zh: '方法' },
      help: { en: 'GET where it is not set.', zh: '不填时为 GET。' },
      options: {
        GET: { en: 'GET: read', zh: 'GET（读取）' },
        HEAD: { en: 'HEAD: read the headers only', zh: 'HEAD（只读响应头）' },
        POST: { en: 'POST: send', zh: 'POST（提交）' },
        PUT: { en: 'PUT: replace', zh: 'PUT（整体替换）' },
        PATCH: { en: 'PATCH: change', zh: 'PATCH（部分修改）' },
        DELETE: { en: 'DELETE: remove', zh: 'DELETE（删除）' },
        OPTIONS: { en: 'OPTIONS: ask what is possible', zh: 'OPTIONS（查询可用方法）' },
      },
    },
    url: {
      label: { en: 'Address', zh: '网址' },
      help: { en: 'Begins with http:// or https://.', zh: '以 http:// 或 https:// 开头。' },
    },
    headers: {
      label: { en: 'Headers', zh: '请求头' },
      help: { en: 'By name.', zh: '按名称填写。' },
    },
    query: {
      label: { en: 'Query parameters', zh: '查询参数' },
      help: {
        en: 'Added to the address; a list gives its name once for each element.',
        zh: '附加在网址后面；列表会按每一项重复该参数。',
      },
    },
    body: {
      label: { en: 'Body', zh: '请求体' },
      help: {
        en: 'A text goes as it is, anything else as JSON. GET and HEAD have none.',
        zh: '文字原样发送，其他内容以 JSON 发送。GET 和 HEAD 没有请求体。',
      },
    },
  },
  data: { method: 'GET', url: '' },
}
