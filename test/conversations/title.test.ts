import assert from 'node:assert/strict'
import { test } from 'node:test'
import { titleFrom } from '../../src/conversations/title.ts'

test('a title is the first sentence, cut at a word', () => {
  const titles = {
    'How many days\n of holiday?': 'How many days of holiday?',
    'How many days of holiday do I have? I began in May.': 'How many days of holiday do I have?',
    'Hi. I have a question.': 'Hi. I have a question',
    'Please explain how the vacation policy applies to part-time colleagues':
      'Please explain how the vacation policy applies to…',
    '我今年有多少天年假？我五月入职。': '我今年有多少天年假？我五月入职',
    '请问兼职员工的年假政策具体如何计算？谢谢。': '请问兼职员工的年假政策具体如何计算？',
    '': '',
  }
  for (const [message, title] of Object.entries(titles)) assert.equal(titleFrom(message), title)
  assert.equal(titleFrom('长'.repeat(80)), `${'长'.repeat(49)}…`)
})
