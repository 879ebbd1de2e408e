import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queryTerms } from '../../../src/knowledge/text/query-terms.ts'
import { subjectOf } from '../../../src/knowledge/text/request-phrases.ts'

test('the subject of a question is what follows the request', () => {
  for (const [query, subject] of [
    ['Can you please tell me when the office closes?', 'office closes?'],
    ['Hi there! Could you explain to me how DNS works?', 'DNS works?'],
    ["I'd like to know more about parental leave", 'parental leave'],
    ['I’m interested in papers on compilers', 'papers on compilers'],
    ['Does anybody know the refund rule?', 'refund rule?'],
    ['麻烦帮我查一下订单状态', '订单状态'],
    ['您好，请问能告诉我营业时间吗？', '营业时间吗？'],
    ['我想咨询一下请假制度', '请假制度'],
    ['帮我看看文档里有没有说加班费', '加班费'],
    ['您好，求导公式有哪些', '求导公式有哪些'],
  ] as const)
    assert.equal(subjectOf(query), subject)
})

test('thanks after a question are not part of its subject', () => {
  assert.equal(subjectOf('refund rule please. Thank you very much!'), 'refund rule please. ')
  assert.equal(subjectOf('年假有几天？谢谢您！'), '年假有几天？')
})

test('a question without a request is its own subject', () => {
  for (const query of [
    'When does the office close?',
    'help center',
    'question bank for grade five',
    '请假怎么请',
    '查询接口怎么调用',
    '问题反馈在哪里',
    '可以退货吗',
    '知道创宇是什么公司',
    '感谢信怎么写',
    '求导公式',
    '求和函数',
    '希望工程的捐款方式',
    '总结报告模板',
    '帮扶政策',
  ])
    assert.equal(subjectOf(query), query)
})

test('a request without a subject stays as it is', () => {
  for (const query of ['', 'thanks', 'Can you help me?', '谢谢', '请问', '你好，我想问一下'])
    assert.equal(subjectOf(query), query)
})

test('the words of a request count little, and nothing in a base without them', () => {
  const terms = queryTerms('Please tell me the refund rule')
  assert.deepEqual([terms.get('pleas')?.factor, terms.get('pleas')?.unknownFactor], [0.3, 0])
  assert.deepEqual([terms.get('refund')?.factor, terms.get('refund')?.unknownFactor], [1, 1])
  const chinese = queryTerms('麻烦帮我查一下订单')
  assert.deepEqual([chinese.get('麻烦')?.factor, chinese.get('麻烦')?.unknownFactor], [0.3, 0])
  assert.deepEqual([chinese.get('订单')?.factor, chinese.get('订单')?.unknownFactor], [1, 1])
})
