import assert from 'node:assert/strict'
import { beforeEach, mock, test } from 'node:test'
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import { ApiFailure } from '../../console/src/api/api-failure.ts'
import { request, requestAs } from '../../console/src/api/request.ts'
import {
  declineOffer,
  keepToken,
  offerToken,
  onSignedOut,
  readHolder,
  readToken,
  refuseToken,
  rememberWorkspace,
  signOut,
  tokenIn,
} from '../../console/src/api/token.ts'
import { browserStorage } from './browser-storage.ts'

let valid: Set<string>
let seen: (string | null)[]
/** Called with every request before its response. */
let onRequest: () => void | Promise<void>

// Own process: it replaces fetch.
mock.method(globalThis, 'fetch', async (_: string, options: RequestInit) => {
  const header = new Headers(options.headers).get('authorization')
  seen.push(header)
  const isKnown = valid.has(header?.replace('Bearer ', '') ?? '')
  await onRequest()
  return isKnown
    ? Response.json({ code: 0, data: 'done' })
    : Response.json({ code: 40102, message: 'no', data: { reason: 'token_invalid' } }, { status: 401 })
})

const ended = mock.fn()
onSignedOut(ended)

beforeEach(() => {
  signOut()
  valid = new Set(['one', 'two'])
  seen = []
  onRequest = () => undefined
  keepToken('one', 'home')
  ended.mock.resetCalls()
})

const isRefusal = (error: unknown): boolean => error instanceof ApiFailure && error.status === 401

test('a rejected call waits, and is repeated with the next token of the same workspace', async () => {
  valid.delete('one')
  const saving = request('/save', { method: 'POST', body: 'typed' })
  const alsoSaving = request('/save-too', {})
  await turn()
  assert.equal(readHolder().isRefused, true)
  keepToken('two', 'home')
  assert.equal((await saving).status, 200)
  assert.equal((await alsoSaving).status, 200)
  assert.deepEqual(seen, ['Bearer one', 'Bearer one', 'Bearer two', 'Bearer two'])
  assert.equal(ended.mock.callCount(), 0, 'what was typed is kept')
})

test('nothing is sent while the token is rejected', async () => {
  refuseToken('one')
  const waiting = request('/later', {})
  await turn()
  assert.deepEqual(seen, [])
  keepToken('two', 'home')
  await waiting
  assert.deepEqual(seen, ['Bearer two'])
})

test('a rejected call fails when the user signs out, and when its page is left', async () => {
  valid.delete('one')
  const abort = new AbortController()
  const left = request('/left', { signal: abort.signal })
  const waiting = request('/waiting', {})
  await turn()
  abort.abort()
  await assert.rejects(left, { name: 'AbortError' })
  signOut()
  await assert.rejects(waiting, isRefusal)
  assert.equal(ended.mock.callCount(), 1)
})

test('another workspace starts empty, and gets no calls of the previous one', async () => {
  valid.delete('one')
  const waiting = request('/save', {})
  await turn()
  keepToken('two', 'elsewhere')
  assert.equal(readToken(), undefined, 'pages close without a token')
  await assert.rejects(waiting, isRefusal)
  await delay()
  assert.equal(readToken(), 'two')
  assert.equal(ended.mock.callCount(), 1)
  assert.deepEqual(seen, ['Bearer one'])
})

test('a late rejection of an old token does not affect the new one', async () => {
  let answer = (): void => undefined
  onRequest = () => new Promise(resolve => (answer = resolve))
  valid.delete('one')
  const late = request('/late', {})
  await turn()
  keepToken('two', 'home')
  onRequest = () => undefined
  answer()
  assert.equal((await late).status, 200, 'it is sent again with the new one')
  assert.deepEqual(
    { token: readToken(), isRefused: readHolder().isRefused },
    { token: 'two', isRefused: false },
  )
})

test('validating an invalid token does not sign out', async () => {
  await assert.rejects(requestAs('wrong', '/self'), isRefusal)
  assert.equal(readHolder().isRefused, false)
})

test('a link is used without confirmation only if no user is signed in', () => {
  offerToken('two')
  assert.deepEqual([readToken(), readHolder().offered], ['one', 'two'])
  declineOffer()
  assert.equal(readHolder().offered, undefined)
  offerToken('one')
  assert.equal(readHolder().offered, undefined, 'it is the same token')
  signOut()
  offerToken('two')
  assert.equal(readToken(), 'two')
})

test('the workspace is known once the server has reported it', () => {
  signOut()
  offerToken('one')
  assert.equal(browserStorage.has('banyan.workspace'), false)
  rememberWorkspace('home')
  keepToken('two', 'home')
  assert.equal(ended.mock.callCount(), 1, 'only signing out was reported')
  signOut()
  assert.equal(browserStorage.size, 0)
})

test('the token of a link is read, also if the link is damaged', () => {
  assert.equal(tokenIn('#token=banyan_a%2Fb'), 'banyan_a/b')
  assert.equal(tokenIn('#token=banyan_%E0%A4'), 'banyan_%E0%A4')
  assert.equal(tokenIn('#token=with space'), 'with space')
  assert.equal(tokenIn('#token='), undefined)
  assert.equal(tokenIn('#/tokens?token=1'), undefined)
})
