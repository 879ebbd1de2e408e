import { useCallback, useEffect, useRef, useState } from 'react'

/** Browsers give pages on plain HTTP no microphone. */
export const canRecord = (): boolean =>
  typeof MediaRecorder !== 'undefined' && navigator.mediaDevices !== undefined

/** Records the microphone; the recording is handed over when it ends, unless it is cancelled. */
export function useRecorder(onRecording: (file: File) => void, onFailure: () => void) {
  const [isRecording, setIsRecording] = useState(false)
  const recorder = useRef<MediaRecorder>(undefined)
  const isKept = useRef(false)

  const end = useCallback((keep: boolean) => {
    isKept.current = keep
    if (recorder.current?.state === 'recording') recorder.current.stop()
  }, [])
  useEffect(() => () => end(false), [end])

  const start = async (): Promise<void> => {
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true })
      const made = new MediaRecorder(stream)
      const pieces: Blob[] = []
      made.ondataavailable = ({ data }) => pieces.push(data)
      made.onstop = () => {
        for (const track of stream.getTracks()) track.stop()
        setIsRecording(false)
        const type = made.mimeType.split(';')[0] ?? 'audio/webm'
        const ending = type.includes('mp4') ? 'm4a' : type.includes('ogg') ? 'ogg' : 'webm'
        if (isKept.current) onRecording(new File(pieces, `recording.${ending}`, { type }))
      }
      recorder.current = made
      made.start()
      setIsRecording(true)
    } catch {
      onFailure()
    }
  }
  return { isRecording, start, end }
}
