import type { Text } from './error-texts.ts'

/** Why a web page could not be fetched and what to do, by the code of its failure. */
export const webFailureTexts = {
  not_found: { en: 'The page does not exist.', zh: '网页不存在，请检查地址。' },
  access_denied: { en: 'The page is not public.', zh: '网站拒绝访问这个网页；只能添加公开的网页。' },
  http_error: { en: 'The web server rejected the request.', zh: '网站拒绝了请求，请检查地址。' },
  server_error: { en: 'The web server failed.', zh: '网站出错或繁忙，多次重试后仍然失败，请稍后重试。' },
  unreachable: {
    en: 'The web server cannot be reached.',
    zh: '无法连接网站，请检查地址；内网地址需由系统管理员通过 EGRESS_ALLOW 允许。',
  },
  timed_out: { en: 'The web server took too long.', zh: '网站响应超时，请稍后重试。' },
  blocked: {
    en: 'The address is not allowed.',
    zh: '不允许访问这个地址：它不在公网上，或跳转到了内网。系统管理员可以通过 EGRESS_ALLOW 允许。',
  },
  bad_answer: { en: 'The response of the web server is invalid.', zh: '网站的响应无效，或跳转次数过多。' },
  too_large: { en: 'The content is too large.', zh: '内容超过了上限。' },
  unsupported_type: {
    en: 'This is not a page or a document.',
    zh: '这个地址不是网页或文档。请添加网页，或 PDF、Word、Markdown、文本等文件的地址。',
  },
  unreadable: {
    en: 'The page has no text.',
    zh: '网页中没有可以读取的文字；知识库中保留上一次的内容。',
  },
  not_a_sitemap: {
    en: 'This is not a site map.',
    zh: '这个地址不是站点地图。请填写 sitemap.xml 的地址，或直接添加网页。',
  },
  robots: { en: 'The site does not allow it.', zh: '网站的 robots.txt 不允许抓取所选的网页。' },
  quota_exceeded: {
    en: 'The workspace is full.',
    zh: '工作空间的文档数量或存储空间已达上限，请先删除一些。',
  },
  internal: { en: 'Internal error.', zh: '服务器内部错误，请查看服务器日志。' },
} satisfies Record<string, Text>

/** For codes of a newer server. */
export const otherWebFailure: Text = { en: 'The page could not be fetched.', zh: '无法获取网页。' }
