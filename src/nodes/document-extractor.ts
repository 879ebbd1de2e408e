import { limits } from '../contract/limits.ts'
import { ownValue } from '../workflow/node-kind.ts'
import { stepFailed } from '../workflow/step.ts'
import { givenFiles } from './given-files.ts'
import { defineKind, field } from './kind-definition.ts'

export const documentExtractor = defineKind({
  kind: 'document_extractor',
  nodeType: 'tool',
  group: 'data',
  en: ['Document extractor', 'Reads the text of documents.'],
  zh: ['文档提取', '读取文档中的文字。'],
  fields: {
    files: field(
      { is: 'tree', input: 'line' },
      ['Files', 'A file or a list of files, usually a reference; or ids of uploaded files.'],
      ['文件', '一个文件或文件列表，通常是引用；也可以是已上传文件的 ID。'],
    ),
  },
  required: ['files'],
  initialData: { files: '{{#sys.files#}}' },
  outputs: () => ['text', 'result', 'texts', 'files'],
  // For one file, without the time that it waits for a thread.
  timeoutMilliseconds: 120_000,
  waitsForTurn: true,
  async run(step, data, services) {
    const given = step.fill(ownValue(data, 'files'))
    const files = await givenFiles(step, services, given, { setting: 'files', max: limits.extractedFiles })
    const texts: string[] = []
    let left: number = limits.extractedTextLength
    for (const { file_id: fileId } of files) {
      const onStart = (): void => step.startTimeout()
      const request = { fileId, maxLength: left, signal: step.signal, onStart }
      const text = await services.extractText(step.workspaceId, request)
      left -= text.length
      if (left < 0) throw stepFailed(tooLong)
      texts.push(text)
      step.reportProgress({ progress: texts.length, total: files.length })
    }
    const text = texts.join('\n\n')
    return { outputs: { text, result: Array.isArray(given) ? texts : text, texts, files } }
  },
})

const tooLong = `The files have more than ${limits.extractedTextLength} characters of text. Extract fewer files at a time, or add them to a knowledge base and search that.`
