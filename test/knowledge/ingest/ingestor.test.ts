import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Leases } from '../../../src/cluster/leases.ts'
import { MessageBus } from '../../../src/cluster/message-bus.ts'
import type { FileToLoad } from '../../../src/knowledge/ingest/document-reader.ts'
import { documentsDue, Ingestor } from '../../../src/knowledge/ingest/ingestor.ts'
import { RecognitionFailure } from '../../../src/knowledge/ingest/recognition/recognition-service.ts'
import { ManualPassageStore } from '../../../src/knowledge/manual-passage-store.ts'
import { ModelFailure } from '../../../src/models/model-failure.ts'
import {
  type KnowledgeWorld,
  type OpenedWorld,
  openWorld,
  otherChunking,
} from '../../conformance/knowledge-world.ts'

const log = { warn: () => {}, info: () => {} }

describe('the ingestor', () => {
  let opened: OpenedWorld
  let world: KnowledgeWorld
  beforeEach(async () => {
    opened = await openWorld()
    world = opened.world
  })
  afterEach(() => opened.cleanup())

  /** Runs an ingestor that reads documents like this, until the condition holds. */
  async function runUntil(
    read: (file: Required<FileToLoad>, signal: AbortSignal) => Promise<void>,
    isDone: () => Promise<boolean>,
    documents = 4,
  ): Promise<void> {
    let now = 1_000_000
    const time = { now: () => now, refresh: async () => {}, reachableMilliseconds: 1e9 }
    const leases = new Leases({
      rows: world.queue.leases,
      cluster: { time, isAlone: true },
      log,
      subject: 'jobs',
    })
    const bus = new MessageBus()
    const capacity = { documents, slow: documents }
    const parts = {
      ...{
        queue: world.queue,
        staging: world.staging,
        groups: world.groups,
        cluster: bus,
        bases: world.bases,
        leases,
        log,
      },
      passages: new ManualPassageStore(world.database),
      reader: { read: (file: Required<FileToLoad>, _: unknown, signal: AbortSignal) => read(file, signal) },
    }
    const ingestor = new Ingestor(parts as never, { total: capacity, share: capacity })
    const stop = new AbortController()
    const running = ingestor.run(stop.signal)
    try {
      for (const end = performance.now() + 60_000; !(await isDone()); await sleep(5)) {
        assert.ok(performance.now() < end, 'it takes too long')
        // Pauses between attempts end soon, and no lease does.
        if (ingestor.activeJobs === 0) now += 10_000
        bus.deliver(documentsDue, '')
      }
    } finally {
      stop.abort()
      await running
    }
  }

  test('a page that can never be recognised fails its document, although others are in the cache', async () => {
    await world.makeBase('w', 'k')
    await world.addDocument('w', 'k', 'scan')
    let reads = 0
    await runUntil(
      async ({ onPages }) => {
        reads++
        await onPages(1, 2)
        // Which pages are done when one fails depends on chance.
        if (reads % 2 === 1) await onPages(2, 3)
        throw new RecognitionFailure('recognition_failed', new ModelFailure('503', { retryable: true }))
      },
      async () => {
        const document = await world.documents.find('w', await world.base('w', 'k'), 'scan')
        return document?.status === 'failed' || reads > 100
      },
    )
    // The first attempt recognised pages, and does not count.
    assert.equal(reads, 13)
  })

  test('a complete index is swapped in while all places are taken', async () => {
    await world.makeBase('w', 'k')
    await world.addDocument('w', 'k', 'endless')
    await world.makeBase('w', 'other')
    await world.update('w', 'other', { chunking: otherChunking }, { nextGenerationId: 'next', now: 1 })
    await runUntil(
      (_, signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      async () => (await world.base('w', 'other')).generation.id === 'next',
      1,
    )
  })
})
