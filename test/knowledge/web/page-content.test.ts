import assert from 'node:assert/strict'
import test from 'node:test'
import { pageContent } from '../../../src/knowledge/web/page-content.ts'
import type { FetchedPage } from '../../../src/knowledge/web/page-fetcher.ts'
import { failureOfStatus } from '../../../src/knowledge/web/page-fetcher.ts'
import { checkRefresh, nextRefresh } from '../../../src/knowledge/web/refresh-schedule.ts'

const fetched = (
  url: string,
  type: string,
  body: string | Buffer = '',
  more: Record<string, string> = {},
): FetchedPage => ({
  ...{ status: 200, url, bytes: Buffer.from(body as string) },
  headers: { 'content-type': type, ...more },
})

const nameOf = (...given: Parameters<typeof fetched>): string => pageContent(fetched(...given)).name

test('a page is named after its title, a file after its address', () => {
  const page = '<svg><title>icon</title></svg>'
  assert.equal(
    nameOf('https://a.example/x', 'text/html', `<title> A &amp;\n B </title>${page}`),
    'A & B.html',
  )
  assert.equal(nameOf('https://a.example/x/y.php?z=1', 'text/html; charset=utf-8', '<p>no title'), 'y.html')
  assert.equal(nameOf('https://a.example/', 'text/html'), 'a.example.html')
  assert.equal(nameOf('https://a.example/%E5%81%87%E6%9C%9F.pdf', 'application/pdf'), '假期.pdf')
  assert.equal(nameOf('https://a.example/README.md', 'text/plain'), 'README.md')
  assert.equal(nameOf('https://a.example/README', 'text/x-unknown'), 'README.txt')
  assert.equal(nameOf('https://a.example/a.docx', 'application/octet-stream'), 'a.docx')
  const named = { 'content-disposition': 'attachment; filename="Plan 2026.pdf"' }
  assert.equal(nameOf('https://a.example/download?id=1', 'application/pdf', '', named), 'Plan 2026.pdf')
  const encoded = encodeURIComponent('年报 2026.pdf')
  for (const name of [
    `attachment; filename*=UTF-8''${encoded}`,
    `attachment; filename="report.pdf"; filename*=utf-8'zh'${encoded}`,
    `attachment;filename=${encoded}`,
    // Some servers leave out the quotes that a name with a space needs.
    `attachment; filename=${Buffer.from('年报 2026.pdf').toString('latin1')} ; size=3`,
    // As Node.js reads a header in UTF-8.
    `attachment; filename="${Buffer.from('年报 2026.pdf').toString('latin1')}"`,
  ])
    assert.equal(
      nameOf('https://a.example/get?id=1', 'application/octet-stream', '', { 'content-disposition': name }),
      '年报 2026.pdf',
      name,
    )
  assert.ok(nameOf('https://a.example/', 'text/html', `<title>${'长'.repeat(500)}`).length < 256)
  assert.ok(nameOf('https://a.example/', 'text/html', `<title>a${'🎉'.repeat(150)}`).isWellFormed())
})

test('what is not a document is refused', () => {
  for (const type of ['image/png', 'video/mp4', 'application/zip', 'application/octet-stream', ''])
    assert.throws(() => pageContent(fetched('https://a.example/x', type)), { code: 'unsupported_type' })
})

test('the encoding of the header counts, and UTF-8 needs none', () => {
  const gbk = Buffer.from('d6d0cec4c4dac8dd', 'hex')
  const { bytes, title } = pageContent(
    fetched('https://a.example/x', 'text/html; charset="GBK"', Buffer.concat([Buffer.from('<title>'), gbk])),
  )
  assert.equal(new TextDecoder().decode(bytes), '<title>中文内容')
  assert.equal(title, '中文内容')
  const utf8 = fetched('https://a.example/x', 'text/html; charset=utf-8', '<title>é')
  assert.equal(pageContent(utf8).bytes, utf8.bytes)
})

test('a status is a success, temporary or final, and the server decides how long to wait', () => {
  const of = (status: number, headers = {}) =>
    failureOfStatus({ status, headers, url: 'https://a.example/', bytes: new Uint8Array() })
  assert.equal(of(200), undefined)
  assert.equal(of(304), undefined)
  assert.deepEqual([of(404)?.code, of(404)?.isTransient], ['not_found', false])
  assert.deepEqual([of(503)?.code, of(503)?.isTransient], ['server_error', true])
  assert.equal(of(429, { 'retry-after': '7' })?.waitMilliseconds, 7000)
  assert.equal(of(429, { 'retry-after': '999999' })?.waitMilliseconds, 3_600_000)
  assert.equal(of(429, { 'retry-after': 'soon' })?.waitMilliseconds, 0)
})

test('a schedule names the next time, at least an hour away', () => {
  const now = Date.UTC(2026, 0, 1, 12)
  assert.equal(nextRefresh('off', now), undefined)
  assert.equal(nextRefresh('daily', now), now + 86_400_000)
  assert.equal(nextRefresh('weekly', now), now + 7 * 86_400_000)
  assert.equal(nextRefresh('0 3 * * *', now), Date.UTC(2026, 0, 2, 3))
  assert.equal(nextRefresh('* * * * *', now), Date.UTC(2026, 0, 1, 13))
  assert.equal(nextRefresh('0 3 * * *', now, 'Asia/Shanghai'), Date.UTC(2026, 0, 1, 19))
  assert.throws(() => checkRefresh('daily', 'Mars/Olympus'), { reason: 'invalid_request' })
  for (const refresh of ['hourly', '* * *', '0 0 31 2 *', '* * * * * *', 'sitemap'])
    assert.throws(() => checkRefresh(refresh, undefined), { reason: 'invalid_request' }, refresh)
})
