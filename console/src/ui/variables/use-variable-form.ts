import { useEffect, useRef, useState } from 'react'
import {
  type ChosenFile,
  type Entry,
  type InputVariable,
  initialEntry,
  maxFilesOf,
  type Problem,
  readEntry,
} from './variable-entry.ts'

type Upload = (file: File, signal: AbortSignal) => Promise<{ file_id: string }>

export type VariableForm = ReturnType<typeof useVariableForm>

let lastKey = 0

/** The entries of a form for input variables, by name. Files are uploaded as soon as they are chosen. */
export function useVariableForm(variables: readonly InputVariable[], upload: Upload) {
  const [entries, setEntries] = useState<ReadonlyMap<string, Entry>>(new Map())
  const uploads = useRef(new AbortController())
  useEffect(() => {
    uploads.current = new AbortController()
    return () => uploads.current.abort()
  }, [])

  const entryOf = (variable: InputVariable, all = entries): Entry => {
    const initial = initialEntry(variable)
    const entry = all.get(variable.name)
    // The type of a variable may change while its form is shown.
    return entry !== undefined && typeof entry === typeof initial ? entry : initial
  }
  const filesOf = (variable: InputVariable, all: ReadonlyMap<string, Entry>): readonly ChosenFile[] => {
    const entry = entryOf(variable, all)
    return typeof entry === 'object' ? entry : []
  }
  const changeFiles = (
    variable: InputVariable,
    change: (files: readonly ChosenFile[]) => readonly ChosenFile[],
  ): void => setEntries(all => new Map(all).set(variable.name, change(filesOf(variable, all))))

  const addFile = (variable: InputVariable, file: File): void => {
    lastKey += 1
    const key = lastKey
    const update = (part: Partial<ChosenFile>): void =>
      changeFiles(variable, files => files.map(each => (each.key === key ? { ...each, ...part } : each)))
    const added: ChosenFile = { key, name: file.name, fileId: undefined, isFailed: false }
    changeFiles(variable, files => [...files, added].slice(-maxFilesOf(variable)))
    const { signal } = uploads.current
    upload(file, signal).then(
      ({ file_id }) => update({ fileId: file_id }),
      () => signal.aborted || update({ isFailed: true }),
    )
  }

  const read = variables.map(variable => [variable.name, readEntry(variable, entryOf(variable))] as const)
  return {
    variables,
    entryOf: (variable: InputVariable): Entry => entryOf(variable),
    problems: new Map<string, Problem>(
      read.flatMap(([name, result]) => ('problem' in result ? [[name, result.problem]] : [])),
    ),
    isComplete: read.every(([, result]) => !('problem' in result)),
    /** The values to send, without those that were left empty. */
    inputs: Object.fromEntries(
      read.flatMap(([name, result]) => ('value' in result ? [[name, result.value] as const] : [])),
    ) as Record<string, unknown>,
    change: (variable: InputVariable, entry: string | boolean): void =>
      setEntries(all => new Map(all).set(variable.name, entry)),
    addFiles: (variable: InputVariable, files: readonly File[]): void => {
      for (const file of files.slice(0, maxFilesOf(variable))) addFile(variable, file)
    },
    removeFile: (variable: InputVariable, key: number): void =>
      changeFiles(variable, files => files.filter(each => each.key !== key)),
    reset: (): void => setEntries(new Map()),
  }
}
