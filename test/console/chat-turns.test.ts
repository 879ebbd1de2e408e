import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  afterEvent,
  type ChatTurn,
  messagesOf,
  repliesShown,
  turnsOf,
  withOlder,
} from '../../console/src/pages/agents/chat/chat-turns.ts'

const message = (chatId: string, id: string, role: 0 | 1, more: object = {}) => ({
  ...{ data_type: 'text' as const, content: id, file_list: [], timestamp: 1 },
  ...{ message_id: id, chat_id: chatId, role, run_id: `run_${chatId}` },
  ...more,
})

const freshTurn = (): ChatTurn => ({
  ...{ chatId: 'c', runId: undefined, userMessage: undefined, replies: [] },
  phase: 'sending',
})

const event = (name: string, data: Record<string, unknown>) => ({ id: '1', event: name, data })
const piece = (id: string, content: string, more: object = {}) =>
  event('delta', { code: 0, run_id: 'run_1', feedback: [message('c', id, 1, { content })], ...more })

test('a message and its replies are one turn, with its run and its ratings', () => {
  const turns = turnsOf([
    message('a', 'hello', 0),
    message('a', 'reply', 1, { rating: 'like' }),
    message('b', 'more', 0),
  ])
  assert.deepEqual(
    turns.map(({ chatId, runId, userMessage, replies }) => [
      chatId,
      runId,
      userMessage?.id,
      replies.map(({ id }) => id),
    ]),
    [
      ['a', 'run_a', 'hello', ['reply']],
      ['b', 'run_b', 'more', []],
    ],
  )
  assert.equal(turns[0]?.replies[0]?.rating, 'like')
})

test('joined pages equal one long page, wherever they were split and however they overlap', () => {
  const all = ['a', 'b', 'c', 'd'].flatMap(chat => [
    message(chat, `${chat}0`, 0),
    message(chat, `${chat}1`, 1),
    message(chat, `${chat}2`, 1),
  ])
  const place = fc.integer({ min: 0, max: all.length })
  fc.assert(
    fc.property(place, fc.integer({ min: 0, max: 3 }), (cut, overlap) => {
      const joined = withOlder(
        turnsOf(all.slice(0, Math.min(all.length, cut + overlap))),
        turnsOf(all.slice(cut)),
      )
      assert.deepEqual(joined.flatMap(messagesOf), turnsOf(all).flatMap(messagesOf))
      assert.equal(new Set(joined.map(({ chatId }) => chatId)).size, joined.length)
    }),
  )
})

test('pieces are appended to their message, and a reset starts it again', () => {
  const turn = [
    piece('m1', 'Hel'),
    piece('m1', 'lo'),
    piece('m2', 'wrong'),
    piece('m2', 'right', { reset: true }),
  ].reduce(afterEvent, freshTurn())
  assert.deepEqual(
    turn.replies.map(({ content }) => content),
    ['Hello', 'right'],
  )
  assert.deepEqual([turn.phase, turn.runId], ['answering', 'run_1'])
})

test('the end event replaces the whole answer', () => {
  const end = event('end', {
    ...{ code: 0, run_id: 'run_1', waiting: true, options: ['small', 'large'] },
    feedback: [message('c', 'm1', 1, { content: 'Which size?' })],
  })
  const turn = [piece('m1', 'Whi'), end].reduce(afterEvent, freshTurn())
  assert.deepEqual([turn.phase, turn.options, turn.replies.length], ['ended', ['small', 'large'], 1])
  assert.equal(turn.replies[0]?.content, 'Which size?')
})

test('a failed turn keeps its messages, and shows its reason once', () => {
  const words = 'The model is down'
  const end = event('end', {
    ...{ code: 50201, msg: words, reason: 'model_failed', run_id: 'run_1' },
    feedback: [
      message('c', 'm1', 1, { content: 'So far' }),
      message('c', 'm2', 1, { content: `Sorry, this did not work: ${words}` }),
    ],
  })
  const turn = afterEvent(freshTurn(), end)
  assert.deepEqual(turn.failure, { reason: 'model_failed', message: words, isRecorded: true })
  assert.deepEqual(
    repliesShown(turn).map(({ content }) => content),
    ['So far'],
  )
})
