import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { limits } from '../../contract/limits.ts'
import { DocumentFailure } from '../../knowledge/ingest/document-failure.ts'
import type { ConvertLegacy, LegacyFormat } from '../../knowledge/ingest/readers/office/convert-legacy.ts'
import { type ConversionTime, isNotInstalled, runConverter } from './run-converter.ts'

const targets: Record<LegacyFormat, string> = { doc: 'docx', xls: 'xlsx', ppt: 'pptx' }

/** No macros, no linked content, and a proxy that does not exist: a document must not make the server open connections. */
const settings = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="DisableMacrosExecution" oor:op="fuse"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="MacroSecurityLevel" oor:op="fuse"><value>3</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="BlockUntrustedRefererLinks" oor:op="fuse"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetProxyType" oor:op="fuse"><value>2</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetHTTPProxyName" oor:op="fuse"><value>127.0.0.1</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetHTTPProxyPort" oor:op="fuse"><value>9</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetHTTPSProxyName" oor:op="fuse"><value>127.0.0.1</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetHTTPSProxyPort" oor:op="fuse"><value>9</value></prop></item>
</oor:items>`
const converted = async (folder: string, extension: string): Promise<Uint8Array | undefined> => {
  const name = (await readdir(folder)).find(each => each.endsWith(`.${extension}`))
  if (name === undefined) return undefined
  const path = join(folder, name)
  if ((await stat(path)).size > limits.unpackedBytes)
    throw new DocumentFailure('too_large', 'The converted file is too large. Split the file.')
  return new Uint8Array(await readFile(path))
}

/** Converts with LibreOffice, in a process and a profile of its own for each file. `soffice` is its command. */
export const createOfficeConverter =
  (soffice: string, time: ConversionTime = {}): ConvertLegacy =>
  async (bytes, from) => {
    const home = await mkdtemp(join(tmpdir(), 'banyan-convert-'))
    try {
      const profile = join(home, 'profile')
      const output = join(home, 'output')
      await mkdir(join(profile, 'user'), { recursive: true })
      await mkdir(output)
      await writeFile(join(profile, 'user', 'registrymodifications.xcu'), settings)
      // The name is ours: that of the user could be an option, or a path.
      await writeFile(join(home, `input.${from}`), bytes)
      const advice = `Save it as .${targets[from]} and upload that.`
      const code = await runConverter({
        command: [
          soffice,
          `-env:UserInstallation=${pathToFileURL(profile)}`,
          ...['--headless', '--norestore', '--nolockcheck', '--nodefault', '--nologo'],
          ...['--convert-to', targets[from], '--outdir', output, join(home, `input.${from}`)],
        ],
        ...{ home, failure: 'LibreOffice could not convert the file', advice, ...time },
      })
      if (isNotInstalled(code)) return undefined
      const file = await converted(output, targets[from])
      if (file) return file
      throw new DocumentFailure(
        'broken_file',
        `LibreOffice could not convert the file: it is damaged, or protected with a password. ${advice}`,
      )
    } finally {
      await rm(home, { recursive: true, force: true, maxRetries: 3 })
    }
  }
