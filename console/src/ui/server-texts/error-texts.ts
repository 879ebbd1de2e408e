import type { Reason } from '../../../../src/contract/error-codes.ts'
import type { ModelFailureCode, ModelTestCode } from '../../../../src/contract/model-operations.ts'
import type { Language } from '../preferences.ts'

/** One text in both languages of the console. */
export type Text = Readonly<Record<Language, string>>

/**
 * Why a call, a run or a step failed, by the reason in the server's answer. The API answers in English; the English
 * console shows that sentence and falls back to this one, the Chinese console shows this one with the facts of the
 * answer (see message-facts.ts).
 */
export const errorTexts: Readonly<Record<Reason, Text>> = {
  invalid_request: { en: 'Some fields are not valid.', zh: '请求中有无效的字段。' },
  malformed_json: { en: 'The request is not valid JSON.', zh: '请求不是有效的 JSON。' },
  too_deep: { en: 'The JSON is nested too deeply.', zh: 'JSON 嵌套过深。' },
  malformed_upload: { en: 'The upload is damaged. Try again.', zh: '上传的内容不完整，请重试。' },
  malformed_http: { en: 'The server could not read the request.', zh: '服务器无法识别该请求。' },
  token_missing: { en: 'Sign in to continue.', zh: '请先登录。' },
  token_invalid: {
    en: 'Your token is no longer valid: it was revoked or has expired.',
    zh: '你的令牌已失效：可能已被吊销或已过期。',
  },
  forbidden: {
    en: 'Your token does not allow this. Ask an admin for a token with another role.',
    zh: '你的令牌没有这个权限，请向管理员申请其他角色的令牌。',
  },
  not_found: { en: 'This item does not exist. It may have been deleted.', zh: '内容不存在，可能已被删除。' },
  method_not_allowed: { en: 'The server does not support this operation.', zh: '服务器不支持此操作。' },
  request_timeout: { en: 'The upload was too slow. Try again.', zh: '请求发送过慢，请重试。' },
  version_conflict: {
    en: 'It was changed in the meantime. Reload and try again.',
    zh: '内容已被其他人修改，请刷新后重试。',
  },
  in_use: { en: 'It is still in use.', zh: '它正在被使用。' },
  already_exists: {
    en: 'This name or ID is already in use. Choose another one.',
    zh: '名称或 ID 已存在，请换一个。',
  },
  too_large: { en: 'The content is too large.', zh: '内容超过了大小上限。' },
  unsupported_media_type: { en: 'This content type is not supported.', zh: '不支持这种内容类型。' },
  range_not_satisfiable: { en: 'The requested range is outside the file.', zh: '请求的范围超出了文件。' },
  graph_invalid: {
    en: 'The workflow has errors and was not saved.',
    zh: '工作流存在错误，未能保存。',
  },
  workflow_not_runnable: {
    en: 'The workflow cannot run yet. Fix the listed problems first.',
    zh: '工作流还不能运行，请先修复检查中列出的问题。',
  },
  tests_failed: {
    en: 'A test set has not passed with this version, so it was not published.',
    zh: '测试集未通过此版本，因此未发布。',
  },
  step_failed: { en: 'A step of the workflow failed.', zh: '工作流的一个步骤执行失败。' },
  rate_limited: {
    en: 'Too many requests. Try again in a moment.',
    zh: '请求过于频繁，请稍后重试。',
  },
  quota_exceeded: {
    en: 'A quota of this workspace is used up. See Usage.',
    zh: '工作空间的配额已用完，详见“用量”页面。',
  },
  headers_too_large: { en: 'The request headers are too large.', zh: '请求头过大。' },
  internal: {
    en: 'Internal server error. The server log has the details.',
    zh: '服务器内部错误，详情请查看服务器日志。',
  },
  content_damaged: {
    en: 'The stored content is damaged. Restore it from a backup.',
    zh: '存储的内容已损坏，请从备份中恢复。',
  },
  model_failed: { en: 'The model provider failed.', zh: '模型服务调用失败。' },
  search_failed: { en: 'The web search failed.', zh: '联网搜索失败。' },
  unavailable: {
    en: 'The server is temporarily unavailable. Try again in a moment.',
    zh: '服务暂时不可用，请稍后重试。',
  },
  not_configured: {
    en: 'A required service is not configured.',
    zh: '所需的服务尚未配置。',
  },
  timed_out: { en: 'It took longer than allowed.', zh: '执行超时。' },
  storage_full: { en: 'The server’s disk is full. Nothing was saved.', zh: '服务器磁盘已满，内容未保存。' },
}

/** The result of a call to a model provider, by its code; an answer with text is shown as it is. */
export const modelResultTexts: Readonly<Record<Exclude<ModelTestCode, 'answered'>, Text>> = {
  empty_answer: { en: 'The answer was empty.', zh: '模型返回了空内容。' },
  not_configured: { en: 'The model cannot be used.', zh: '模型无法使用，请检查它的设置和密钥。' },
  key_rejected: { en: 'The provider rejected the API key.', zh: '服务商拒绝了 API 密钥，请检查密钥。' },
  no_credit: { en: 'The provider account has no credit left.', zh: '服务商账户余额或额度不足。' },
  not_found: {
    en: 'The provider does not know this URL or model.',
    zh: '接口地址或模型不存在，请检查接口地址（通常以 /v1 结尾）和模型名。',
  },
  rate_limited: { en: 'The provider limits the request rate.', zh: '服务商限制了请求频率，请稍后重试。' },
  redirect: { en: 'The base URL redirects elsewhere.', zh: '接口地址发生了重定向，请填写重定向后的地址。' },
  provider_error: { en: 'The provider has an error. Try again later.', zh: '服务商出错，请稍后重试。' },
  refused: { en: 'The provider rejected the request.', zh: '服务商拒绝了请求。' },
  blocked: {
    en: 'The server is not allowed to call this address.',
    zh: '服务器不允许访问这个地址；内网地址需由系统管理员加入 EGRESS_ALLOW。',
  },
  timed_out: { en: 'The model did not answer in time.', zh: '模型没有在规定时间内回答。' },
  unreachable: {
    en: 'The provider cannot be reached.',
    zh: '无法连接服务商，请检查接口地址；内网地址需由系统管理员加入 EGRESS_ALLOW。',
  },
  bad_response: {
    en: 'The provider sent an unexpected response.',
    zh: '服务商返回的内容无法识别，请检查接口地址和模型。',
  },
  other: { en: 'The model call failed.', zh: '模型调用失败。' },
}

/**
 * The kind of a model failure in a failed run, which has no code for it: the status in the server's sentence decides,
 * or else its wording.
 */
export function kindOfModelFailure(message: string): ModelFailureCode {
  const status = statusIn(message)
  if (/insufficient_quota|no credit/i.test(message) || status === 402) return 'no_credit'
  if (status === 401 || status === 403) return 'key_rejected'
  if (status === 404) return 'not_found'
  if (status === 429) return 'rate_limited'
  if (status !== undefined && status < 400) return 'redirect'
  if (status !== undefined) return status >= 500 ? 'provider_error' : 'refused'
  if (/could not be reached/i.test(message)) return 'unreachable'
  if (/EGRESS_ALLOW|cannot be called|not allowed/i.test(message)) return 'blocked'
  if (/in time|within|timed out|longer than/i.test(message)) return 'timed_out'
  if (/reach|connect/i.test(message)) return 'unreachable'
  return 'other'
}

/** The HTTP status that the server's sentence names, such as `answered 401` or `(500)`. */
export function statusIn(message: string): number | undefined {
  const found = /(?:answered|responded|returned|status|HTTP|\()(?: with)?(?: status)? ?([345]\d\d)\b/i.exec(
    message,
  )
  return found ? Number(found[1]) : undefined
}
