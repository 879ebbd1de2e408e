import { functionWords, particles, wordTerms } from './text-terms.ts'

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '))

/** Words that show that a question begins with a request, such as "Could you tell me" or 麻烦帮我查一下. */
const markers = setOf(
  "hi hello hey dear please pls kindly thanks thank sorry excuse i i'm i'd i've i'll you me tell explain describe " +
    'clarify summarize summarise let know ask asking wonder wondering curious interested quick anybody anyone ' +
    'somebody someone ' +
    '你好 您好 嗨 哈喽 喂 请 请问 请教 问 问下 问问 想 我想 还想 我要 希望 帮 帮忙 告诉 告知 咨询 打听 好奇 麻烦 烦请 劳烦 劳驾 拜托 打扰 ' +
    '不好意思 抱歉 谢谢 多谢 感谢 求 求助 你 您 总结 概括 一下 查一下 看一下 找一下 疑问',
)
/** Most questions have none, and finding their words takes longer. */
const anyMarker = new RegExp(
  Array.from(markers, word => (/^[a-z]/.test(word) ? `\\b${word}\\b` : word)).join('|'),
  'i',
)
/** Other words of such requests, besides function words. */
const fillers = setOf(
  'all there everyone guys folks sir madam good morning afternoon evening much very lot advance grateful so may show ' +
    'give help walk through guide remind like love want wanted need wish looking trying hoping find out understand ' +
    'learn advise inform share discuss question questions one another more thing about if whether regarding ' +
    'concerning just really also maybe possible any some information info details happen able ' +
    '我 我们 早上 上午 下午 晚上 好 各位 大家 老师 亲 咱 咱们 要 需要 给 替 跟 我吗 知道 了解 确认 查 查查 查询 查找 查看 找 看 看看 看下 搜 搜索 ' +
    '介绍 解释 解答 说明 简单 说 讲 讲解 聊聊 谈谈 列出 描述 下 能 能够 能否 能不能 可以 可不可以 可否 会 我有 有个 没有 比较 问题 这边 这里 那么 ' +
    '另外 还有 还 再 先 呀 哦 关于 有关 文 档 文件 资料 手册 知识库 里 里面 中 提到 写 根据 内容 一些 相关',
)
const isRequestWord = (word: string): boolean =>
  markers.has(word) || fillers.has(word) || particles.has(word) || functionWords.has(wordTerms(word)[0]!)

const words = new Intl.Segmenter('zh', { granularity: 'word' })
const closing =
  /(?:(?:多谢|感谢|谢谢)[你您了啦]?|麻烦[你您]?了|拜托了?|(?<![a-z])(?:thanks|thank you|please|pls)(?: very much| so much| a lot)?(?: in advance)?)[\s.!。！~]*$/i
/** Longer than any closing phrase. */
const maxClosing = 40

/** Fewer words of a run without spaces are more likely a part of its subject: 感谢 of 感谢信, 求 of 求导公式. */
const minWordsOfRun = 2

/** Where the first word follows that no request has; 0 if the words before it are not a request. */
function endOfRequest(query: string): number {
  let isRequest = false
  /** Words without spaces between them. */
  let run = { from: 0, to: -1, words: 0, isRequest }
  for (const { segment, index, isWordLike } of words.segment(query)) {
    if (!isWordLike) continue
    const continuesRun = index === run.to
    const word = segment.toLowerCase().replace('’', "'")
    if (!isRequestWord(word)) {
      const isOfSubject = continuesRun && run.words < minWordsOfRun
      if (isOfSubject) return isRequest ? run.from : 0
      return isRequest || run.isRequest ? index : 0
    }
    if (!continuesRun) {
      isRequest ||= run.isRequest
      run = { from: index, to: index, words: 0, isRequest: false }
    }
    run.to += segment.length
    if (markers.has(word) || fillers.has(word)) run.words++
    run.isRequest ||= markers.has(word)
  }
  return 0
}

/**
 * What a question, in folded text, is about: "office closes?" of "Can you please tell me when the office closes? Thanks!"
 * The same text if nothing else would be left.
 */
export function subjectOf(query: string): string {
  const rest = query.slice(anyMarker.test(query) ? endOfRequest(query) : 0)
  const end = closing.exec(rest.slice(-maxClosing))?.[0].length ?? 0
  const subject = rest.slice(0, rest.length - end)
  return /[\p{L}\p{N}]/u.test(subject) ? subject : rest
}
