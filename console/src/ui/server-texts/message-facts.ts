import type { Language } from '../preferences.ts'
import { errorTexts, kindOfModelFailure, modelResultTexts, statusIn, type Text } from './error-texts.ts'

/** A failure as it is shown: a sentence, and lines with the details of this case. */
interface Explanation {
  title: string
  details: string[]
}

/** Reasons that are not in the server's error table: from a proxy, or from a newer server. */
const unknown = { en: 'The request failed.', zh: '请求失败。' }

/**
 * Explains a failure of a call, a run or a step by its reason. In English the server's sentence is exact and
 * sufficient; in Chinese the catalogue's text is shown, with those parts of the sentence that need no
 * translation.
 */
export function explain(language: Language, reason: string, message: string): Explanation {
  const known = Object.hasOwn(errorTexts, reason) ? errorTexts[reason as keyof typeof errorTexts] : unknown
  if (language === 'en') return { title: forUsers(message) || known.en, details: [] }
  if (reason === 'model_failed') return explainModel(kindOfModelFailure(message), message)
  // The message can be any sentence of a script, another server or the author of the workflow.
  if (reason === 'step_failed')
    return { title: known.zh, details: message === '' ? [] : [`错误信息：${message}`] }
  return { title: known.zh, details: chineseDetails(message) }
}

/** A failure in one line. */
export function explainInLine(
  language: Language,
  { reason, message }: { reason: string; message: string },
): string {
  const { title, details } = explain(language, reason, message)
  return joinSentences([title, ...details])
}

/** Explains a failure that has no reason, only a sentence; most are failures of a model. */
export function explainSentence(language: Language, message: string): string {
  if (language === 'en') return message
  const kind = kindOfModelFailure(message)
  if (kind === 'other') return `错误信息：${message}`
  const { title, details } = explainModel(kind, message)
  return joinSentences([title, ...details])
}

/** Explains why a search was limited, for example to keywords. */
export function explainSearchWarning(language: Language, warning: string): string {
  if (language === 'en') return warning
  return joinSentences([
    /Keyword search only: /.test(warning) ? '仅使用了关键词检索。' : '',
    /Not reranked: /.test(warning) ? '结果未经重排序。' : '',
    explainSentence(language, warning.replace(/Keyword search only: |Not reranked: /g, '')),
  ])
}

/**
 * Explains a failure that has a text for its code and a message of the server. Parts of the message that repeat the
 * text are left out.
 */
export function explainByText(
  language: Language,
  text: Text,
  message: string,
): { title: string; rest: string } {
  const title = text[language]
  if (language === 'zh') {
    const facts = factsIn(message).filter(fact => !title.includes(fact))
    return { title, rest: facts.join('、') }
  }
  return message.startsWith(title.replace(/\.$/, ''))
    ? { title: message, rest: '' }
    : { title, rest: message }
}

/** Sentences in one line: after a full stop of Chinese there is no space. */
export const joinSentences = (sentences: readonly string[]): string =>
  sentences
    .filter(sentence => sentence !== '')
    .reduce((all, next) => all + (/(?:^|[。！？])$/.test(all) ? '' : ' ') + next, '')

const modelOperations = /\bwith POST \/api\/v1\/model\/(?:create|update)$/

/** Whether a page of the console would help: no model is configured, or not the one that was named. */
export const isModelMissing = (message: string): boolean => modelOperations.test(message)

/** The server names its operations and members; users of the console have a page and a field for them. */
const forUsers = (message: string): string =>
  message.replace(modelOperations, 'on the Models page').replace(/^\/content: /, 'The content ')

/** The result of a call to a model provider in Chinese; a newer server may know further codes. */
export function explainModel(code: string, message: string): Explanation {
  const known = code as keyof typeof modelResultTexts
  const { zh } = Object.hasOwn(modelResultTexts, code) ? modelResultTexts[known] : modelResultTexts.other
  const [, named = '', model = '', rest = message] = /^(Model "([^"]+)": )(.*)$/s.exec(message) ?? []
  const status = statusIn(splitQuote(message).own)
  // After the first clause: it names what happened, and the others say what to do.
  const title = status === undefined ? zh : zh.replace(/[，。]/, end => `（${status}）${end}`)
  return {
    title: named === '' ? title : `模型“${model}”：${title}`,
    details: chineseDetails(rest, [model, `HTTP ${status}`]),
  }
}

/** The facts of a message, apart from those that its title has, and the words of the provider. */
function chineseDetails(message: string, inTitle: readonly string[] = []): string[] {
  const { own, quote } = splitQuote(message)
  const facts = factsIn(own).filter(fact => !inTitle.includes(fact))
  return [
    ...(facts.length > 0 ? [`相关信息：${facts.join('、')}`] : []),
    ...(quote === undefined ? [] : [`服务商的说明：“${quote}”`]),
  ]
}

/** A sentence of the server, and the provider's message at its end, if there is one. */
function splitQuote(message: string): { own: string; quote: string | undefined } {
  const quote = providerWordsIn(message)
  return { own: quote === undefined ? message : message.slice(0, message.lastIndexOf(quote)), quote }
}

/** The message of a provider or another service that the server passes on at the end of its sentence. */
function providerWordsIn(message: string): string | undefined {
  return /(?:\bsays: |Provider message: |reported an error: |\([345]\d\d\): )(.+)$/s.exec(message)?.[1]
}

const chineseUnits: Readonly<Record<string, (number: string) => string>> = {
  character: number => `${number} 个字符`,
  byte: number => `${number} 字节`,
  second: number => `${number} 秒`,
  s: number => `${number} 秒`,
  minute: number => `${number} 分钟`,
  step: number => `${number} 步`,
  item: number => `${number} 项`,
  file: number => `${number} 个文件`,
  page: number => `${number} 页`,
  part: number => `${number} 个部分`,
  chunk: number => `${number} 个段落`,
  token: number => `${number} 个 token`,
  level: number => `${number} 层`,
  MiB: number => `${number} MiB`,
  MB: number => `${number} MB`,
}

const factPattern = new RegExp(
  [
    // References to outputs, and anything quoted.
    String.raw`\{\{#.*?#\}\}|"[^"]+"|“[^”]+”|${'`'}[^${'`'}]+${'`'}`,
    // Settings, ids and JSON pointers.
    String.raw`\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\b[a-z]+_[A-Za-z0-9]{16,}\b|(?<=^|\s)/[\w/~-]+`,
    // The name of something that does not exist.
    String.raw`(?<=\bno (?:model|workflow|agent|tool|node|run|conversation|workspace|version|knowledge base) )[^\s,;:.]+`,
    // Limits with their unit.
    String.raw`\d[\d,.]* ?(?:${Object.keys(chineseUnits).join('|')})s?\b`,
  ].join('|'),
  'g',
)

/** The parts of an English sentence of the server that mean the same in Chinese: names, settings, limits, a status. */
export function factsIn(message: string): string[] {
  const found = [...message.matchAll(factPattern)].map(([text]) => {
    const [, number, unit = ''] = /^(\d[\d,.]*) ?([A-Za-z]+?)s?$/.exec(text) ?? []
    const inChinese = chineseUnits[unit] ?? chineseUnits[`${unit}s`]
    return number !== undefined && inChinese ? inChinese(number) : text.replace(/^["“`]|["”`]$/g, '')
  })
  const status = statusIn(message)
  return [...new Set(status === undefined ? found : [`HTTP ${status}`, ...found])]
}

const chineseTypes: Readonly<Record<string, string>> = {
  string: '文本',
  text: '文本',
  number: '数字',
  integer: '整数',
  object: '对象',
  array: '数组',
  list: '数组',
  boolean: '布尔值',
}

/** Problems of a field, from the most specific rule to the least. */
const chineseFieldRules: readonly (readonly [RegExp, (...groups: string[]) => string])[] = [
  [/is required|is missing/i, () => '必填'],
  [/expression that occurs|never occurs/, () => '这样的时间永远不会到来'],
  [/cron expression/, () => '不是有效的 cron 表达式'],
  [/one of (.+)$/i, values => `只能是：${values}`],
  [
    /curl command/,
    () =>
      '应为 curl 命令，或 JSON、YAML 格式的 OpenAPI 3 或 Swagger 2 文档（须有 openapi 或 swagger 版本号）',
  ],
  [/exported workflow/, () => '既不是导出的工作流（JSON），也不是从 Dify 导出的应用（YAML）'],
  [/one emoji or character/, () => '应为一个表情或字符'],
  [/letters, digits/i, () => '只能包含 1 到 64 个字母、数字、_ 或 -'],
  [/NUL|surrogate/, () => '包含无效字符'],
  [
    /(?:fewer|less|shorter) than (\d+(?: [a-z]+)?)|at least (\d+(?: [a-z]+)?)|>= (-?[\d.]+)/i,
    (...found) => `不能少于 ${limitIn(found)}`,
  ],
  [
    /(?:more|longer|larger) than (\d+(?: [a-z]+)?)|at most (\d+(?: [a-z]+)?)|<= (-?[\d.]+)/i,
    (...found) => `不能超过 ${limitIn(found)}`,
  ],
  [/https?:|URL|address/i, () => '不是有效的网址'],
  [/must be an? (\w+)\b/i, type => (chineseTypes[type] ? `应为${chineseTypes[type]}` : '无效')],
  [/additional propert/i, () => '不支持此字段'],
  [/already|taken|twice|duplicate/i, () => '已被使用'],
]

/** A limit with its unit, if there is one. */
function limitIn(found: readonly (string | undefined)[]): string {
  const limit = found.find(Boolean) ?? ''
  return factsIn(limit)[0] ?? limit.replace(/ .*/, '')
}

/** A field that the server refused, with its JSON pointer. */
export function explainField(language: Language, path: string, message: string): string {
  if (language === 'en') return `${path === '/content' ? 'The content' : path} ${message}`.trim()
  return `${path === '/content' ? '内容' : path || '请求内容'}：${explainRefusal(language, message)}`
}

/** Why the server refused a field, below the field. */
export function explainRefusal(language: Language, message: string): string {
  if (language === 'en') return message.charAt(0).toUpperCase() + message.slice(1)
  for (const [pattern, describe] of chineseFieldRules) {
    const found = pattern.exec(message)
    if (found) return describe(...found.slice(1))
  }
  const facts = factsIn(message)
  if (/there is no|names no|refers to|no such|unknown|does not exist/i.test(message))
    return `不存在${facts.length > 0 ? `（${facts.join('、')}）` : ''}`
  return ['无效', ...facts].join('，')
}
