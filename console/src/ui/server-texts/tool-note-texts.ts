import type { Language } from '../preferences.ts'

/** Differences of an imported tool, by the sentence of the server, because these notes have no codes. */
const chineseNotes: readonly (readonly [RegExp, (text: string) => string])[] = [
  [/^Only the first URL was taken; (".*") was/s, url => `只采用了第一个网址，${url} 未导入。`],
  [/^-k was left out:/, () => '-k 未导入：工具始终验证证书。'],
  [/^The form field (".*") is a file,/s, name => `表单字段 ${name} 是文件，工具无法发送。`],
  [/^The body was left out: .* (\w+)\.$/, method => `请求体未导入：工具的 ${method} 请求不带请求体。`],
  [/^The cookie was left out:/, () => 'Cookie 未导入：它属于会过期的浏览器会话。'],
  [/^The form \(-F\)/, () => '表单（-F）改用 URL 编码发送：工具无法发送 multipart 表单。'],
  [
    /^The value of (".*") was left out: it looks like/s,
    name => `${name} 的值看起来是凭据，未导入：工具只在网址和请求头中发送密钥。`,
  ],
  [/^Only the first (\d+) operations/, count => `只读取了前 ${count} 个操作。`],
  [
    /^The document names no host:/,
    () => '文档中没有主机名：请把网址中的 https://example.com 换成 API 的地址。',
  ],
  [/^The parameter (".*") is a .*, which/s, name => `参数 ${name} 所在的位置不受支持，工具无法发送。`],
  [/^Its body is (.+), which tools/s, type => `工具无法发送 ${type} 类型的请求体，未导入。`],
  [/^The secret (\S+) is "user:password"/, name => `密钥 ${name} 的值是“用户名:密码”的 Base64 编码。`],
  [/^The secret (\S+) is an access token;/, name => `密钥 ${name} 的值是访问令牌，工具不会自行获取。`],
  [/^The authentication (".*") cannot/s, name => `认证方式 ${name} 无法导入，请手动添加所需的内容。`],
  [/^(".*") is outside of the document/s, reference => `${reference} 不在此文档中，未导入。`],
  [/^(".*") does not exist in the/s, reference => `文档中不存在 ${reference}。`],
  [/^The schema (".*") contains itself/s, name => `数据结构 ${name} 包含自身，已在该处截断。`],
  [/^A part of its schema was cut:/, () => '数据结构过大，已截断一部分。'],
]

/** A note of the import of tools; one of a newer server is shown as it is. */
export function toolNoteText(language: Language, note: string): string {
  const known = language === 'zh' && chineseNotes.find(([pattern]) => pattern.test(note))
  return known ? known[1](known[0].exec(note)?.[1] ?? '') : note
}
