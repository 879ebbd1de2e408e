import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toolNoteText } from '../../console/src/ui/server-texts/tool-note-texts.ts'
import { importTools } from '../../src/shared-tools/import-tools.ts'

const operation = (more: object) => ({ responses: {}, ...more })
const circle = { type: 'object', properties: { next: { $ref: '#/components/schemas/circle' } } }
const body = (schema: object) => ({ requestBody: { content: { 'application/json': { schema } } } })
const document = {
  openapi: '3.0.0',
  paths: {
    '/a': {
      get: operation({ parameters: [{ name: 'id', in: 'cookie' }], security: [{ basic: [] }] }),
      post: operation({ requestBody: { content: { 'image/png': {} } }, security: [{ token: [] }] }),
      put: operation({ ...body({ $ref: '#/components/schemas/circle' }), security: [{ mutual: [] }] }),
      delete: operation(body({})),
      patch: operation(body({ properties: { a: { $ref: 'other.json' }, b: { $ref: '#/nowhere' } } })),
    },
  },
  components: {
    schemas: { circle },
    securitySchemes: {
      ...{
        basic: { type: 'http', scheme: 'basic' },
        token: { type: 'oauth2' },
        mutual: { type: 'mutualTLS' },
      },
    },
  },
}
const commands = [
  'curl -k -b session=1 https://example.com/a https://example.com/b',
  'curl -X DELETE -d x=1 https://example.com/a',
  'curl -F a=1 -F file=@x.png https://example.com/a',
  'curl --json \'{"password": "hidden"}\' https://example.com/a',
]

test('notes of the import of tools are Chinese in Chinese, with their names', async () => {
  const notes: string[] = []
  for (const content of [...commands, JSON.stringify(document)]) {
    const imported = await importTools(content, { signal: new AbortController().signal })
    notes.push(...imported.notes, ...imported.tools.flatMap(tool => tool.notes))
  }
  assert.ok(notes.length >= 14, notes.join('\n'))
  for (const note of notes) {
    assert.equal(toolNoteText('en', note), note)
    assert.match(toolNoteText('zh', note), /[\u4e00-\u9fff].*。$/, note)
  }
  assert.equal(toolNoteText('zh', '"x" does not exist in the document.'), '文档中不存在 "x"。')
  assert.equal(toolNoteText('zh', 'Of a newer server.'), 'Of a newer server.')
})
