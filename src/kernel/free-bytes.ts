/** Compared by identity: a part of marked bytes is not marked. */
const owned = new WeakSet<Uint8Array>()

/** Marks bytes whose memory nothing else refers to, so that their consumer may free it. */
export function allowFree<Bytes extends Uint8Array>(bytes: Bytes): Bytes {
  // Smaller buffers of Node share one.
  if (bytes.byteLength === bytes.buffer.byteLength) owned.add(bytes)
  return bytes
}

/**
 * Frees the memory of used bytes at once, if that is allowed; they are empty afterwards. V8 would collect the buffers of a
 * long transfer only when they take more than a hundred megabytes.
 */
export function freeBytes(bytes: Uint8Array): void {
  if (owned.delete(bytes)) (bytes.buffer as ArrayBuffer).transfer(0)
}
