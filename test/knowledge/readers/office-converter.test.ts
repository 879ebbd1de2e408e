import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createOfficeConverter } from '../../../src/adapters/workers/office-converter.ts'
import type { ConversionTime } from '../../../src/adapters/workers/run-converter.ts'
import { readDocument } from '../../../src/knowledge/ingest/readers/read-document.ts'
import { makeDocx } from '../../support/documents/make-docx.ts'
import { assertRefused, blocksOf } from '../../support/documents/read-blocks.ts'

describe('a file of an old Office version', () => {
  let folder = ''
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'converter-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** A command that is called like LibreOffice; `$out` is the output folder and `$in` the file. */
  const command = (name: string, body: string): string => {
    const path = join(folder, name)
    writeFileSync(
      path,
      `#!/bin/sh\nwhile [ $# -gt 1 ]; do [ "$1" = --outdir ] && out=$2; shift; done\nin=$1\n${body}\n`,
    )
    chmodSync(path, 0o755)
    return path
  }

  const read = (soffice: string, time: ConversionTime = { milliseconds: 60_000 }) =>
    readDocument(
      { name: 'a.doc', mimeType: 'application/msword', bytes: Buffer.from('old content') },
      { convert: createOfficeConverter(soffice, time) },
    )

  it('is converted and read as its current format', async () => {
    const document = join(folder, 'made.docx')
    writeFileSync(document, makeDocx(['Converted text']))
    const soffice = command(
      'works',
      `cat "$in" > "${folder}/seen"; env > "${folder}/env"; cp "${document}" "$out/input.docx"`,
    )
    assert.deepEqual(await blocksOf(read(soffice)), [{ kind: 'paragraph', text: 'Converted text' }])
    assert.equal(readFileSync(join(folder, 'seen'), 'utf8'), 'old content')
    const environment = readFileSync(join(folder, 'env'), 'utf8')
    assert.match(environment, /^HOME=.*banyan-convert-/m)
    const home = /^HOME=(.*)$/m.exec(environment)![1]!
    assert.ok(!existsSync(home), 'nothing is left')
  })

  it('reports that it is alive while LibreOffice works', async () => {
    const document = join(folder, 'slow.docx')
    writeFileSync(document, makeDocx(['Slow text']))
    const soffice = command(
      'slow',
      `until [ -e "${folder}/alive" ]; do sleep 0.02; done; cp "${document}" "$out/input.docx"`,
    )
    const onAlive = (): void => writeFileSync(join(folder, 'alive'), '')
    assert.deepEqual(await blocksOf(read(soffice, { onAlive, aliveMilliseconds: 10 })), [
      { kind: 'paragraph', text: 'Slow text' },
    ])
  })

  it('fails with advice where LibreOffice is not installed', async () => {
    await assertRefused(read(join(folder, 'missing')), 'converter_not_installed', /LibreOffice.*\.docx/)
    const file = { name: 'a.doc', mimeType: 'application/msword', bytes: Buffer.from('x') }
    await assertRefused(readDocument(file), 'converter_not_installed', /SOFFICE_PATH/)
  })

  it('fails if it cannot be converted', async () => {
    await assertRefused(read(command('fails', 'exit 1')), 'broken_file', /password/)
  })

  it('that needs too much processor time is too complex, however busy the server is', async () => {
    const soffice = command('works-for-ever', 'while :; do :; done')
    await assertRefused(read(soffice, { seconds: 1 }), 'too_complex', /1 s of processor time.*\.docx/)
  })

  it('whose conversion does not end in time is given up, and no process is left', async () => {
    const soffice = command('hangs', `sleep 1000 & echo $! > "${folder}/pid"; wait`)
    await assertRefused(read(soffice, { milliseconds: 1500 }), 'conversion_timed_out', /1\.5 s.*\.docx/)
    const pid = readFileSync(join(folder, 'pid'), 'utf8').trim()
    const isAlive = (): boolean => {
      // A killed process stays in the table until its new parent has noticed.
      const state = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : ''
      return state !== '' && !/\) Z /.test(state)
    }
    while (isAlive()) await new Promise(resolve => setTimeout(resolve, 20))
    assert.deepEqual(
      readdirSync(folder).filter(name => name.startsWith('banyan-convert-')),
      [],
    )
  })
})
