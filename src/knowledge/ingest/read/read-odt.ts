import type { Block } from '../block.ts'
import { DocumentFailure } from '../document-failure.ts'
import { OpenDocumentSheets } from './open-document-sheets.ts'
import { OpenDocumentText } from './open-document-text.ts'
import { blocksOfXml, parseXml } from './xml-events.ts'
import { openZip, type ZipArchive } from './zip-archive.ts'

const manifest = 'META-INF/manifest.xml'
const content = 'content.xml'

const refuseEncrypted = async (archive: ZipArchive): Promise<void> => {
  if (!archive.has(manifest)) return
  await parseXml(archive.chunks(manifest), {
    open(name) {
      if (name === 'encryption-data')
        throw new DocumentFailure(
          'encrypted',
          'The file is protected with a password. Upload it without one.',
        )
    },
    close() {},
  })
}

export async function* readOdt(bytes: Uint8Array, kind: 'odt' | 'ods' | 'odp'): AsyncGenerator<Block> {
  const archive = openZip(bytes)
  await refuseEncrypted(archive)
  if (!archive.has(content))
    throw new DocumentFailure(
      'broken_file',
      'The file is not an OpenDocument file: its main part is missing.',
    )
  yield* blocksOfXml(
    archive.chunks(content),
    kind === 'ods' ? new OpenDocumentSheets() : new OpenDocumentText(),
  )
}
