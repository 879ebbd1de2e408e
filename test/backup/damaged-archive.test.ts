import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, afterEach, before, describe, test } from 'node:test'
import { type Manifest, printManifest } from '../../src/backup/archive-format.ts'
import { decodeHeader, encodeHeader, paddingOf } from '../../src/backup/tar.ts'
import { everything } from './everything.ts'
import { fill } from './fill.ts'
import { openPlace, type Place } from './place.ts'

interface Entry {
  name: string
  content: Buffer
}

const unpack = (archive: Buffer): Entry[] => {
  const entries: Entry[] = []
  for (let at = 0; ; ) {
    const header = decodeHeader(archive.subarray(at, at + 512))
    if (!header) return entries
    entries.push({ name: header.name, content: archive.subarray(at + 512, at + 512 + header.size) })
    at += 512 + header.size + paddingOf(header.size)
  }
}

const pack = (entries: Entry[]): Buffer =>
  Buffer.concat([
    ...entries.flatMap(({ name, content }) => [
      encodeHeader({ name, size: content.length }, 0),
      content,
      Buffer.alloc(paddingOf(content.length)),
    ]),
    Buffer.alloc(1024),
  ])

const withManifest = (entries: Entry[], change: (manifest: Record<string, unknown>) => void): Entry[] =>
  entries.map(entry => {
    if (entry.name !== 'manifest.json') return entry
    const { checksum: _, ...manifest } = JSON.parse(String(entry.content))
    change(manifest)
    return { name: entry.name, content: Buffer.from(printManifest(manifest as Manifest)) }
  })

describe('restoring a damaged archive fails', () => {
  let source: Place
  let target: Place
  let good: Buffer
  let kept: unknown
  let keptBlobs: string[]

  const blobsOf = async (place: Place): Promise<string[]> =>
    (await readdir(join(place.config.dataDir, 'files'), { recursive: true })).sort()

  before(async () => {
    source = await openPlace()
    target = await openPlace()
    const running = await source.serve({ first: true })
    await fill(running.api)
    await running.stop()
    const path = join(source.config.dataDir, 'all.tar')
    await source.backup(path)
    good = await readFile(path)

    const own = await target.serve({ first: true })
    await own.api.upload('own.txt', 'own')
    kept = await everything(own.api)
    await own.stop()
    keptBlobs = await blobsOf(target)
  })
  after(async () => {
    await source.drop()
    await target.drop()
  })

  const isRefused = async (archive: Buffer, because: RegExp): Promise<void> => {
    const path = join(source.config.dataDir, 'changed.tar')
    await writeFile(path, archive)
    // It may replace existing data.
    await assert.rejects(target.restore(path, { overwrite: true }), because)
    const blobs = await blobsOf(target)
    const shards = new Set(keptBlobs)
    assert.deepEqual(
      blobs.filter(name => !shards.has(name) && name.length > 30),
      [],
    )
  }
  afterEach(async () => {
    const running = await target.serve()
    assert.deepEqual(await everything(running.api), kept, 'a failed restore changes nothing')
    await running.stop()
  })

  test('with one flipped bit anywhere in a header or a content', async () => {
    const places: number[] = []
    for (let at = 0; at < good.length - 1024; ) {
      const { size } = decodeHeader(good.subarray(at, at + 512))!
      places.push(at + 3, at + 130, at + 156, at + 512 + Math.floor(size / 2), at + 512 + size - 2)
      at += 512 + size + paddingOf(size)
    }
    const path = join(source.config.dataDir, 'flipped.tar')
    let refused = 0
    await target.restoreOften(async restore => {
      for (const place of places) {
        const flipped = Buffer.from(good)
        flipped[place]! ^= 4
        await writeFile(path, flipped)
        await restore(path, { overwrite: true }).then(
          () => assert.fail(`a flipped bit at ${place} went unnoticed`),
          () => refused++,
        )
      }
    })
    assert.equal(refused, places.length)
    await isRefused(Buffer.concat([good.subarray(0, 600), Buffer.from('x'), good.subarray(601)]), /damaged/)
  })

  test('when it is truncated anywhere', async () => {
    for (const length of [0, 100, 512, 700, good.length >> 1, good.length - 2500, good.length - 1024])
      await isRefused(good.subarray(0, length), /ends too early|damaged|no manifest/)
  })

  test('without its manifest, or with entries after it', async () => {
    const entries = unpack(good)
    await isRefused(pack(entries.slice(0, -1)), /no manifest/)
    await isRefused(pack([...entries, { name: 'blobs/more', content: Buffer.from('x') }]), /unexpected entry/)
    await isRefused(pack([]), /no manifest/)
  })

  test('with unexpected entries', async () => {
    const entries = unpack(good)
    for (const name of ['../../etc/passwd', '/etc/passwd', 'blobs/../x', 'blobs/a/b', 'tables/x', 'extra'])
      await isRefused(pack([{ name, content: Buffer.from('x') }, ...entries]), /unexpected entry/)
    await isRefused(pack([entries[0]!, ...entries]), /unexpected entry/)
    await isRefused(pack([{ name: 'blobs/abc', content: Buffer.from('x') }, ...entries]), /missing/)
    await isRefused(
      pack([{ name: 'tables/more.1.jsonl.gz', content: Buffer.from('x') }, ...entries]),
      /lists other entries/,
    )
    const link = Buffer.from(good)
    link[156] = '2'.charCodeAt(0)
    await isRefused(link, /damaged/)
  })

  test('without one of its contents', async () => {
    const entries = unpack(good)
    const blob = entries.findIndex(({ name }) => name.startsWith('blobs/'))
    await isRefused(pack(entries.toSpliced(blob, 1)), /is missing/)
  })

  test('with another format, schema or program', async () => {
    const entries = unpack(good)
    const change = (name: string, value: unknown) =>
      pack(
        withManifest(entries, manifest => {
          manifest[name] = value
        }),
      )
    await isRefused(change('format_version', 1), /format version 1/)
    await isRefused(change('schema', '9999'), /another schema \(9999, here \d+\)/)
    await isRefused(change('format', 'other'), /not a Banyan backup/)
    await isRefused(change('vanished', 'x'), /manifest is damaged/)
    await isRefused(Buffer.from('PK\x03\x04'.padEnd(2000, 'x')), /not a backup/)
  })

  test('with an edited manifest', async () => {
    const entries = unpack(good)
    const edited = entries.map(({ name, content }) => ({
      name,
      content:
        name === 'manifest.json'
          ? Buffer.from(String(content).replace('"vanished": []', '"vanished": ["x"]'))
          : content,
    }))
    await isRefused(pack(edited), /manifest is damaged/)
  })

  test('when the blob store fails while contents are written', async () => {
    const path = join(source.config.dataDir, 'all.tar')
    const blobs = {
      write: async () => {
        throw new Error('the disk is full')
      },
      remove: async () => {},
    }
    await assert.rejects(target.restore(path, { overwrite: true, instead: { blobs } }), /the disk is full/)
    const running = await target.serve()
    assert.deepEqual(await everything(running.api), kept)
    await running.stop()
  })
})
