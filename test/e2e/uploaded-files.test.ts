import assert from 'node:assert/strict'
import { operatorToken } from '../support/test-server.ts'
import { describeConsole, flow } from './support/console-world.ts'

const script = '<script>globalThis.ran = true; alert(1)</script>'
const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">${script}</svg>`
const xhtml = `<html xmlns="http://www.w3.org/1999/xhtml"><body onload="alert(1)">${script}</body></html>`

/** Content that would run in a browser that trusts a name, a type or its own sniffing. */
const hostile: Record<string, string> = {
  'page.html': `<!doctype html>${script}<img src="x" onerror="alert(1)">`,
  'page.htm': script,
  'page.xhtml': xhtml,
  'page.xht': xhtml,
  'page.xml': `<?xml version="1.0"?>${xhtml}`,
  'page.svg': svg,
  'page.svgz': svg,
  'page.mhtml': `MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n${script}`,
  'page.xsl': `<xsl:stylesheet xmlns:xsl="http://www.w3.org/1999/XSL/Transform" version="1.0">${script}</xsl:stylesheet>`,
  'page.pdf': '%PDF-1.4\n1 0 obj<</Type/Catalog/OpenAction<</S/JavaScript/JS(app.alert(1))>>>>endobj\n%%EOF',
  'page.txt': script,
  'page.md': script,
  'page.json': `{"a":"${script}"}`,
  'page.js': 'alert(1)',
  'page.css': `</style>${script}`,
  'page.png': script,
  'page.gif': `GIF89a${script}`,
  'page.jpg': `\xff\xd8\xff${script}`,
  page: script,
  'page.html.txt': `<!doctype html>${script}`,
  '<img src=x onerror=alert(1)>.txt': script,
  'page.unknown': `<!doctype html>${script}`,
}

describeConsole('Uploaded files', world => {
  flow(
    world,
    'run no code when they are opened, whatever their names',
    async ({ page, problems }) => {
      const dialogs: string[] = []
      page.on('dialog', dialog => {
        dialogs.push(page.url())
        void dialog.dismiss()
      })
      for (const [name, content] of Object.entries(hostile)) {
        const { json } = await world.server.api.post('/api/v1/files/upload', {
          name,
          content_base64: Buffer.from(content).toString('base64'),
        })
        const address = `${world.server.base}/api/v1/files/${json.data.file_id}`
        // Most are served as downloads, which cancels the navigation.
        await page.goto(address, { waitUntil: 'load' }).catch(error => {
          assert.match(String(error), /Download is starting|net::ERR_ABORTED/, name)
        })
        assert.equal(await page.evaluate('globalThis.ran === true'), false, name)
      }
      assert.deepEqual(dialogs, [])
      // A policy violation that the browser reports is expected here.
      for (const problem of problems.splice(0)) assert.match(problem, /^Blocked script execution/)
    },
    { signedIn: false, extraHTTPHeaders: { authorization: `Bearer ${operatorToken}` } },
  )
})
