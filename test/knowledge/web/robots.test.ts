import assert from 'node:assert/strict'
import test from 'node:test'
import { atOnce } from '../../../src/kernel/slices.ts'
import { robotsRules } from '../../../src/knowledge/web/robots.ts'

const allows = (text: string, path: string): boolean => atOnce(robotsRules(text, 'BanyanBot')).isAllowed(path)

test('the longest rule of our own group decides', () => {
  const text = `
# everybody
User-agent: *
Disallow: /

User-agent: other
User-agent: BANYANBOT
Disallow: /private   # not for robots
Allow: /private/open
Disallow: /*.pdf$
Disallow:
`
  assert.equal(allows(text, '/anything'), true)
  assert.equal(allows(text, '/private/x'), false)
  assert.equal(allows(text, '/private/open/x'), true)
  assert.equal(allows(text, '/files/a.pdf'), false)
  assert.equal(allows(text, '/files/a.pdf?page=1'), true)
  assert.equal(allows('User-agent: *\r\nDisallow: /a', '/a/b'), false)
  assert.equal(allows('User-agent: *\nDisallow: /a\nAllow: /a', '/a'), true)
  assert.equal(allows('', '/a'), true)
  assert.equal(allows('Disallow: /', '/a'), true)
  assert.equal(allows('User-agent: *\nDisallow: /a*b*c$', '/axbxbxc'), false)
  assert.equal(allows('User-agent: *\nDisallow: /a*b*c$', '/axbxbxcd'), true)
  assert.equal(allows('User-agent: *\nDisallow: /ab*b$', '/ab'), true)
})

test('paths are the same in every spelling', () => {
  const inside = new URL('http://x/内部/a~b').pathname
  for (const rule of ['/内部/', '/%E5%86%85%E9%83%A8/', '/%e5%86%85%e9%83%a8/', '/*部/a%7Eb$'])
    assert.equal(allows(`User-agent: *\nDisallow: ${rule}`, inside), false, rule)
  assert.equal(allows('User-agent: *\nDisallow: /a%3cb', '/a%3Cb'), false)
  assert.equal(allows('User-agent: *\nDisallow: /a%2Fb', '/a/b'), true)
})

test('rules with many wildcards take no time', () => {
  const rule = `User-agent: *\nDisallow: /${'*a'.repeat(200)}b$`
  assert.equal(allows(rule, `/${'a'.repeat(2000)}`), true)
})

test('a file that names robots very often costs no more than its length', () => {
  const agents = 'User-agent: *\nUser-agent: other\n'.repeat(50_000)
  const rules = Array.from({ length: 2000 }, (_, at) => `Disallow: /${at}/\n`).join('')
  const many = agents + rules
  assert.deepEqual([allows(many, '/1999/'), allows(many, '/open')], [false, true])
})

test('the time between requests is that of our own group', () => {
  const delay = (text: string): number => atOnce(robotsRules(text, 'BanyanBot')).crawlDelay
  assert.equal(delay('User-agent: *\nCrawl-delay: 5\nDisallow: /x'), 5)
  assert.equal(delay('User-agent: *\nCrawl-delay: 5\nUser-agent: banyanbot\nCrawl-delay: 1.5'), 1.5)
  assert.equal(delay('User-agent: other\nCrawl-delay: 5\nUser-agent: *\nCrawl-delay: soon'), 0)
})
