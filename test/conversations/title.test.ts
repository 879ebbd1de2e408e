import assert from 'node:assert/strict'
import { test } from 'node:test'
import { titleFrom } from '../../src/conversations/title.ts'
import { scriptedLanguageModel } from '../support/scripted-language-model.ts'
import { openChatWorld, workspaceId } from './chat-world.ts'

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

test('a name that a user sets while the small model writes a title stays', async t => {
  const models = { defaultName: async () => 'small', find: async () => scriptedLanguageModel() }
  const world = await openChatWorld({ models, smallModel: 'small' })
  try {
    world.runs.script = async run => {
      // The run for the title belongs to no conversation.
      if (run.record.conversationId === '') run.record = { ...run.record, answer: 'Days of leave' }
      else await run.write('Thirty.')
      await run.succeed()
    }
    const conversation = await world.talk(await world.agent())
    const rename = world.store.rename.bind(world.store)
    const titled = Promise.withResolvers<void>()
    t.mock.method(world.store, 'rename', async (...given: Parameters<typeof rename>) => {
      await rename(workspaceId, conversation.id, 'By hand')
      const isRenamed = await rename(...given)
      titled.resolve()
      return isRenamed
    })
    await world.say(conversation, 'How many days of leave do I have?')
    await titled.promise
    assert.equal((await world.store.find(workspaceId, conversation.id))?.name, 'By hand')
  } finally {
    await world.close()
  }
})
