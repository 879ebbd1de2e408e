import { limits } from '../contract/limits.ts'
import type { JsonRecord } from '../workflow/node-kind.ts'
import { type RunFile, type Step, StepFailure } from '../workflow/step.ts'
import { gapAt } from './gaps.ts'
import { givenFiles } from './given-files.ts'
import { defineKind, field, line, paragraph } from './kind-definition.ts'
import type { NodeServices } from './node-services.ts'
import { readList, readText } from './read-setting.ts'

/** The engine streams `answer` to the user and sends the output `files`; `run` only makes the outputs of the node. */
export const output = defineKind({
  kind: 'output',
  nodeType: 'base',
  group: 'talk',
  en: ['Output', 'Sends a message to the user: text while it is generated, images, voice, video and files.'],
  zh: ['回复', '向用户发送消息：文字边生成边显示，也可以发送图片、语音、视频和文件。'],
  fields: {
    answer: field(
      paragraph,
      ['Answer', 'The message. The text of a language model is streamed while it is generated.'],
      ['回复内容', '要发送的内容。引用语言模型的输出时，会随着生成逐字显示。'],
    ),
    file_list: field(
      { is: 'list', of: line },
      [
        'Files',
        'Sent after the text, as images, voice, video or files according to their type: references to files such as {{#http_1.files#}}, or ids of uploaded files.',
      ],
      [
        '文件',
        '在文字之后发送，按类型作为图片、语音、视频或文件：填写对文件的引用，如 {{#http_1.files#}}，或已上传文件的 ID。',
      ],
    ),
    voice: field(
      line,
      [
        'Voice',
        '"on" also sends the text as a voice message, which needs a speech model; empty, "off", "0" or "false" does not. {{#sys.inputs.voice#}} lets the client decide.',
      ],
      [
        '语音',
        '填 on 时同时把文字作为语音消息发送，需要语音合成模型；留空、off、0 或 false 则不发送。{{#sys.inputs.voice#}} 由客户端决定。',
      ],
    ),
  },
  required: [],
  initialData: { answer: '{{#sys.query#}}' },
  gaps: data =>
    readText(data, 'answer').trim() === '' && readList(data, 'file_list').length === 0
      ? gapAt('answer', 'Set the message, or the files to send.')
      : [],
  outputs: data => (hasFiles(data) ? ['text', 'result', 'files'] : ['text', 'result']),
  // For speech; the text is streamed before.
  timeoutMilliseconds: 120_000,
  messageField: 'answer',
  run(step, data, services) {
    const text = step.text(readText(data, 'answer'))
    if (!hasFiles(data)) return { outputs: { text, result: text } }
    return sentFiles(step, data, services, text).then(files => ({ outputs: { text, result: text, files } }))
  },
})

const hasFiles = (data: JsonRecord): boolean =>
  readList(data, 'file_list').length > 0 || readText(data, 'voice').trim() !== ''

async function sentFiles(step: Step, data: JsonRecord, services: NodeServices, text: string) {
  const given = readList(data, 'file_list').flatMap(each => step.fill(each))
  const files = await givenFiles(step, services, given, { setting: 'file_list', max: limits.outputFiles })
  const voice = step.text(readText(data, 'voice')).trim().toLowerCase()
  const isSpoken = !['', 'off', '0', 'false'].includes(voice) && text.trim() !== ''
  return isSpoken ? [await step.once('speech', () => speech(step, services, text)), ...files] : files
}

async function speech(step: Step, services: NodeServices, text: string): Promise<RunFile> {
  const { workspaceId, signal } = step
  const synthesizer = await services.synthesizer(workspaceId)
  if (!synthesizer)
    throw new StepFailure(
      'not_configured',
      'No speech model is configured: add one in Models, or set SPEECH_BASE_URL and SPEECH_MODEL.',
    )
  const { mimeType, bytes } = await synthesizer.synthesize(text, { workspaceId, signal })
  const extension = mimeType === 'audio/mpeg' ? 'mp3' : mimeType.slice('audio/'.length).replace(/^x-/, '')
  const file = await services.storeFile(workspaceId, { name: `voice.${extension}`, bytes })
  // Raw formats cannot be recognized by their content.
  return { ...file, mime_type: mimeType }
}
