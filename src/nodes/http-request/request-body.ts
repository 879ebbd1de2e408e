import { limits } from '../../contract/limits.ts'
import type { HttpRequest } from '../../tools/http-client.ts'
import { type Gap, type JsonRecord, ownValue } from '../../workflow/node-kind.ts'
import { type Step, stepFailed } from '../../workflow/step.ts'
import { fillJsonText } from '../fill-json-text.ts'
import { gapAt, gapsOfEach, gapsWithin } from '../gaps.ts'
import { givenFiles } from '../given-files.ts'
import { choice, field, type KindFields, line, objects } from '../kind-definition.ts'
import type { NodeServices } from '../node-services.ts'
import { readObjects, readText, textOf } from '../read-setting.ts'
import { type FormField, multipartBody } from './multipart-body.ts'

const tree = { is: 'tree', input: 'line' } as const

/** The kinds of bodies that a request can have, each in its own field. */
export const bodyFields: KindFields = {
  body: field(
    { is: 'tree', input: 'json', secrets: true },
    ['Body', 'Text is sent as it is, anything else as JSON. GET and HEAD have no body.'],
    ['请求体', '文字原样发送，其他内容以 JSON 发送。GET 和 HEAD 没有请求体。'],
  ),
  form: field(
    objects(
      ['name'],
      {
        name: field(line, ['Name'], ['名称']),
        value: field(
          { ...tree, secrets: true },
          ['Value', 'Text, or JSON; a list repeats the field for each element.'],
          ['值', '文字或 JSON；列表会按每一项重复该字段。'],
        ),
        file: field(
          tree,
          ['File', 'Instead of a value: a file, its id, or a list of them, such as {{#sys.files#}}.'],
          ['文件', '代替值：文件、文件 ID 或它们的列表，例如 {{#sys.files#}}。'],
        ),
      },
      formGaps,
    ),
    ['Form', 'Fields of a form, sent instead of the body.'],
    ['表单', '以表单字段代替请求体发送。'],
  ),
  form_encoding: field(
    choice({
      multipart: { en: 'multipart/form-data', zh: 'multipart/form-data（可含文件）' },
      urlencoded: { en: 'x-www-form-urlencoded', zh: 'x-www-form-urlencoded（仅文字）' },
    }),
    ['Form encoding', 'multipart/form-data if empty. Only multipart/form-data can send files.'],
    ['表单编码', '不填时为 multipart/form-data；只有它能发送文件。'],
  ),
  body_file: field(
    tree,
    ['File as body', 'A file, or the id of a file, whose content becomes the whole body.'],
    ['文件作为请求体', '文件或文件 ID，其内容就是整个请求体。'],
  ),
}

const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)

const bodySettings = ['body', 'form', 'body_file']

/** `method` is set only if requests with this method have no body. */
export function bodyGaps(data: JsonRecord, method: string | undefined): Gap[] {
  const [first, second] = bodySettings.filter(name => isSet(ownValue(data, name)))
  if (first !== undefined && method !== undefined)
    return gapAt(first, `A ${method} request has no body; remove it, or choose another method.`)
  if (first !== undefined && second !== undefined)
    return gapAt(second, `A request has one body; remove "${second}" or "${first}".`)
  if (readText(data, 'form_encoding') !== 'urlencoded') return []
  const withFile = readObjects(data, 'form').findIndex(each => isSet(ownValue(each, 'file')))
  if (withFile < 0) return []
  const message = 'A file needs the encoding multipart; change "form_encoding".'
  return gapsWithin('form', gapsWithin(withFile, gapAt('file', message)))
}

function formGaps(fields: readonly JsonRecord[]): Gap[] {
  if (fields.length > limits.requestFormFields)
    return [
      { place: [], message: `Has ${fields.length} fields; at most ${limits.requestFormFields} are sent.` },
    ]
  return gapsOfEach(fields, each => {
    if (readText(each, 'name').trim() === '') return gapAt('name', 'A field of a form needs a name.')
    const hasBoth = isSet(ownValue(each, 'value')) && isSet(ownValue(each, 'file'))
    return hasBoth ? gapAt('file', 'A field has a value or a file; remove one of them.') : []
  })
}

interface RequestBody {
  readonly content: NonNullable<HttpRequest['body']>
  readonly type: string
  /** The type depends on the content, such as the boundary of a form, and overrides that of the author. */
  readonly hasOwnType?: true
}

/** The body of a request; `contentType` is the one that the author set. */
export async function requestBody(
  step: Step,
  data: JsonRecord,
  services: NodeServices,
  contentType: string | undefined,
): Promise<RequestBody | undefined> {
  if (isSet(ownValue(data, 'form'))) return formBody(step, data, services)
  if (isSet(ownValue(data, 'body_file'))) return fileBody(step, data, services)
  return textBody(step, data, contentType)
}

const json = 'application/json'

/** Text is sent as it is, anything else as JSON. In a JSON text references are escaped: input stays in its quotes. */
function textBody(step: Step, data: JsonRecord, contentType: string | undefined): RequestBody | undefined {
  const given = ownValue(data, 'body')
  if (typeof given === 'string' && looksLikeJson(given, contentType))
    return { content: fillJsonText(step.withSecrets, given), type: json }
  const body = step.withSecrets.fill(given)
  if (body === undefined || body === null || body === '') return undefined
  if (typeof body === 'string') return { content: body, type: 'text/plain; charset=utf-8' }
  return { content: JSON.stringify(body), type: json }
}

/** Without a content type, a text in brackets is taken for JSON, which is what nearly all services expect. */
function looksLikeJson(template: string, contentType: string | undefined): boolean {
  const text = template.trim()
  if (!/^[[{](?!\{#)/.test(text)) return false
  return contentType === undefined ? /[\]}]$/.test(text) : /[/+]json\b/i.test(contentType)
}

async function formBody(step: Step, data: JsonRecord, services: NodeServices): Promise<RequestBody> {
  const fields: FormField[] = []
  let fileCount = 0
  for (const each of readObjects(data, 'form')) {
    const name = step.text(readText(each, 'name'))
    const max = limits.requestFiles - fileCount
    const files = await givenFiles(step, services, step.fill(ownValue(each, 'file')), {
      setting: 'form',
      max,
    })
    fileCount += files.length
    fields.push(...files.map(file => ({ name, file })))
    const values = [step.withSecrets.fill(ownValue(each, 'value'))].flat()
    for (const value of values)
      if (value !== undefined && value !== null) fields.push({ name, text: textOf(value) })
  }
  if (readText(data, 'form_encoding') === 'urlencoded') {
    const pairs = new URLSearchParams()
    for (const each of fields) if ('text' in each) pairs.append(each.name, each.text)
    return { content: `${pairs}`, type: 'application/x-www-form-urlencoded' }
  }
  const body = multipartBody(fields, id => services.fileContent(step.workspaceId, id))
  return { content: body, type: body.type, hasOwnType: true }
}

async function fileBody(step: Step, data: JsonRecord, services: NodeServices): Promise<RequestBody> {
  const value = step.fill(ownValue(data, 'body_file'))
  const [file] = await givenFiles(step, services, value, { setting: 'body_file', max: 1 })
  if (!file) throw stepFailed('"body_file" names no file after its references were replaced.')
  const read = () => services.fileContent(step.workspaceId, file.file_id)
  return { content: { size: file.size, read }, type: file.mime_type }
}
