// Own process: it sets the time zone of the process.
process.env['TZ'] = 'Asia/Shanghai'

import assert from 'node:assert/strict'
import test from 'node:test'
import { momentOf } from '../../src/http/wire.ts'

test('a time of a request does not depend on the time zone of the server', () => {
  const utc = Date.parse('2026-11-15T08:30:00Z')
  for (const text of [
    '2026-11-15T08:30:00Z',
    '2026-11-15T08:30:00',
    '2026-11-15 08:30',
    '2026-11-15T08:30:00.000Z',
    '2026-11-15T09:30:00+01:00',
    '2026-11-15 09:30 +0100',
  ])
    assert.equal(momentOf(text, '/from'), utc, text)
  assert.equal(momentOf('2026-11-15', '/from'), Date.parse('2026-11-15T00:00:00Z'))
  for (const text of [
    ...['', '2026', 'Nov 15 2026', '2026-11-15T', '2026-11-15Tnoon', '2026-13-01', '2026-02-30'],
    ...['2026-11-15 08:30 PM', '2026-11-15 08:30 (UTC', '2026-11-15T09:30:00 01:00'],
  ])
    assert.throws(() => momentOf(text, '/from'), /must be a time/, text)
})
