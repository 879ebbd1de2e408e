import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJson } from '../../src/http/body.ts'
import { AppError } from '../../src/kernel/app-error.ts'

/** With memory of their own, as they arrive. */
const pieces = (bytes: Buffer, ...cuts: number[]): Buffer[] =>
  [0, ...cuts].map((from, index) => Buffer.from(Uint8Array.from(bytes.subarray(from, cuts[index])).buffer))

test('a body is the same wherever its pieces end', async () => {
  const value = { é: '榕', '😀': ['\ufeff', 'x'] }
  const bytes = Buffer.from(JSON.stringify(value))
  for (let cut = 0; cut <= bytes.length; cut++) {
    const parsed = await parseJson(pieces(bytes, cut, Math.min(cut + 1, bytes.length)))
    assert.deepEqual(parsed.value, value)
    assert.equal(parsed.members.get('é')?.text, '"榕"')
  }
})

test('invalid UTF-8 is rejected wherever the pieces end', async () => {
  for (const bad of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe4, 0xb8]])
    for (const end of ['"}', '']) {
      const bytes = Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bad), Buffer.from(end)])
      for (let cut = 0; cut <= bytes.length; cut++)
        await assert.rejects(parseJson(pieces(bytes, cut)), (error: AppError) => {
          assert.ok(error instanceof AppError)
          assert.equal(error.message, 'The body is not valid UTF-8')
          return true
        })
    }
})
