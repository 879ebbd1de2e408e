import type { Segment } from '../../knowledge/index/segment.ts'

/**
 * The buffers of segments that can be handed to another thread instead of copied: a merge moves tens of megabytes,
 * and copying them would hold up requests. What a driver cut out of a larger buffer stays.
 */
export const ownBuffers = (segments: Pick<Segment, 'header' | 'blocks'>[]): ArrayBuffer[] =>
  segments
    .flatMap(({ header, blocks }) => [header, ...blocks])
    .filter(bytes => bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer)
    .map(bytes => bytes.buffer as ArrayBuffer)
