import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { errorCodes } from '../../src/contract/error-codes.ts'
import { type OpenapiDocument, openapiDocument } from '../../src/http/openapi.ts'
import { docsPage } from '../../src/http/pages/docs-page.ts'
import { escapeHtml, html, styleSheet } from '../../src/http/pages/html.ts'
import { unbuiltPage } from '../../src/http/routes/console-routes.ts'
import { atOnce } from '../../src/kernel/slices.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

const document = openapiDocument()
const pages = { '/': unbuiltPage(), '/docs': atOnce(docsPage(document)) }

const attributes = (page: string, name: string): string[] =>
  [...page.matchAll(new RegExp(`<\\w[^>]*\\s${name}="([^"]*)"`, 'g'))].map(match => match[1]!)

const voidTags = new Set(['meta', 'link', 'br', 'hr', 'img', 'path', 'ellipse'])

/** Asserts that every opened tag is closed in order. */
function assertBalanced(page: string): void {
  const open: string[] = []
  for (const [tag, slash, name, selfClosing] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*?(\/?)>/g)) {
    if (selfClosing || voidTags.has(name!)) continue
    if (!slash) open.push(name!)
    else assert.equal(open.pop(), name, `${tag} closes the innermost open tag`)
  }
  assert.deepEqual(open, [])
}

describe('pages', () => {
  let server: TestServer
  before(async () => {
    server = await startTestServer()
  })
  after(() => server.stop())

  for (const [path, page] of Object.entries(pages)) {
    it(`${path} is served without a token under a strict content security policy`, {
      skip: path === '/' && 'the console serves this path, see console-routes.test.ts',
    }, async () => {
      const answer = await server.api.as(undefined).get(path)
      assert.equal(answer.status, 200)
      assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8')
      const policy = answer.headers.get('content-security-policy') ?? ''
      assert.match(policy, /default-src 'none'/)
      assert.doesNotMatch(policy, /script-src|https?:|\*/)
      assert.equal(answer.text, page)
    })

    it(`${path} loads no external resources and has no broken links`, () => {
      assert.doesNotMatch(page, /<(script|iframe|object|embed|form|base|img)\b|\son\w+=|@import|url\(/i)
      assert.deepEqual(attributes(page, 'src'), [])
      const [icon, ...others] = attributes(page, 'href')
      assert.match(icon!, /^data:image\/svg\+xml,/)
      const ids = attributes(page, 'id')
      assert.equal(new Set(ids).size, ids.length, 'ids are unique')
      for (const target of others) {
        assert.match(target, /^(#|\/(?!\/))/, 'links stay on this server')
        if (target.startsWith('#')) assert.ok(ids.includes(target.slice(1)), `${target} is a broken anchor`)
        else assert.ok(target in document.paths, `${target} is not a path of the server`)
      }
      for (const name of attributes(page, 'aria-labelledby')) assert.ok(ids.includes(name), name)
    })

    it(`${path} is well formed with landmarks and a single h1`, () => {
      assertBalanced(page)
      assert.match(page, /^<!doctype html>\n<html lang="en">/)
      assert.equal(page.match(/<h1\b/g)?.length, 1)
      assert.equal(page.match(/<main\b/g)?.length, 1)
      assert.match(page, /<nav aria-label=/)
    })

    it(`${path} is smaller than 750 kB`, () => {
      assert.ok(Buffer.byteLength(page) < 750_000, `${Buffer.byteLength(page)} bytes`)
    })
  }

  it('lists every path, operation and error code in the reference', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      assert.ok(pages['/docs'].includes(`<code>${escapeHtml(path)}</code>`), path)
      for (const { operationId } of Object.values(methods))
        assert.ok(pages['/docs'].includes(`<article id="${operationId}"`), String(operationId))
    }
    for (const [reason, { code }] of Object.entries(errorCodes)) {
      assert.ok(pages['/docs'].includes(`id="error.${reason}"`))
      assert.ok(pages['/docs'].includes(String(code)))
    }
  })

  it('escapes all text of the OpenAPI document', () => {
    const evil = '</code><script>alert("1")</script><img src=x onerror=\'1\'>&`'
    const poison = (value: unknown): unknown => {
      if (typeof value === 'string' && !value.startsWith('#/')) return value + evil
      if (Array.isArray(value)) return value.map(poison)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, poison(child)]))
    }
    const paths = Object.fromEntries(
      Object.entries(document.paths).map(([path, methods]) => [path + evil, methods]),
    )
    const properties = { [`name${evil}`]: { type: 'string', enum: [evil], default: evil } }
    const components = { schemas: { [`Evil${evil}`]: { type: 'object', properties } } }
    for (const poisoned of [
      {
        ...document,
        info: poison(document.info),
        paths: poison(document.paths),
        tags: poison(document.tags),
      },
      { ...document, paths },
      { ...document, components },
    ]) {
      const page = atOnce(docsPage(poisoned as OpenapiDocument))
      assert.match(page, /&lt;script&gt;/)
      assert.doesNotMatch(page, /<script|<img|onerror='/)
      assertBalanced(page)
    }
  })

  it('escapes template values but not template markup', () => {
    assert.equal(
      html`<p title="${'"'}">${'<b>'}${html`<i>${1}</i>`}${false}${['&', undefined]}</p>`.text,
      '<p title="&quot;">&lt;b&gt;<i>1</i>&amp;</p>',
    )
  })
})

describe('colours', () => {
  const schemes = styleSheet('base.css').split('@media (prefers-color-scheme: dark)')
  const coloursOf = (style: string): Record<string, string> =>
    Object.fromEntries(
      [...style.matchAll(/--([\w-]+): (#[0-9a-f]{3,6})\b/g)].map(match => [match[1], match[2]]),
    )

  for (const [at, name] of ['light', 'dark'].entries())
    it(`text has sufficient contrast in the ${name} scheme`, () => {
      const colours = coloursOf(schemes[at]!)
      for (const ink of ['ink', 'soft', 'leaf', 'bark', 'get', 'post', 'code'])
        for (const ground of ['ground', 'raised', 'sunken'])
          assert.ok(contrast(colours[ink]!, colours[ground]!) >= 4.5, `${ink} on ${ground}`)
      for (const ink of ['ink', 'soft', 'leaf'])
        assert.ok(contrast(colours[ink]!, colours['leaf-soft']!) >= 4.5, `${ink} on leaf-soft`)
    })
})

/** The contrast ratio of WCAG 2. */
function contrast(one: string, other: string): number {
  const luminance = (colour: string): number => {
    const digits = colour.length === 4 ? colour.replace(/[0-9a-f]/g, '$&$&') : colour
    const [red, green, blue] = [1, 3, 5].map(from => {
      const share = Number.parseInt(digits.slice(from, from + 2), 16) / 255
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
  }
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter! + 0.05) / (darker! + 0.05)
}
