const sampleRate = 8000
const seconds = 0.5

/** A short WAV file without a sound, with which a transcription model can be tested. */
export function silentRecording(): { name: string; mimeType: string; bytes: Uint8Array } {
  const samples = sampleRate * seconds
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + samples, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  // PCM, one channel, 8 bits per sample.
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(sampleRate, 24)
  header.writeUInt32LE(sampleRate, 28)
  header.writeUInt16LE(1, 32)
  header.writeUInt16LE(8, 34)
  header.write('data', 36)
  header.writeUInt32LE(samples, 40)
  const silence = Buffer.alloc(samples, 0x80)
  return { name: 'silence.wav', mimeType: 'audio/wav', bytes: Buffer.concat([header, silence]) }
}
