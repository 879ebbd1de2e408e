import Type from 'typebox'
import { limits } from './limits.ts'
import { basePath, type Operation } from './operation.ts'
import { pageOf, pagingFields } from './paging.ts'
import { id, text, time } from './text.ts'

const fileId = id('File id.', 'file_Zk3xV0m2q1c5b7n9d1f3gA')
const fileIds = (description: string) => Type.Array(fileId, { minItems: 1, maxItems: 1000, description })

const record = Type.Object({
  file_id: fileId,
  name: Type.String({ description: 'The name as it was sent.', examples: ['hello.txt'] }),
  size: Type.Integer({ description: 'Bytes.', examples: [14] }),
  mime_type: Type.String({
    description: 'Found by the content, then by the name.',
    examples: ['text/plain'],
  }),
  sha256: Type.String({
    description: 'Checksum of the content, hexadecimal.',
    examples: ['749af5108aca2f06127e7ab2d52396913d78955f7ac776f1f01acc38fdcd5f14'],
  }),
  created_at: time('Time of the upload.'),
})

export const fileSorts = ['created_at', 'name', 'size'] as const
export type FileSort = (typeof fileSorts)[number]

const missing = Type.Array(fileId, { description: 'Ids that name no file here.', examples: [[]] })

const common = { family: 'files' } as const

export const fileOperations = {
  upload: {
    ...common,
    name: 'files.upload',
    method: 'POST',
    path: `${basePath}/files/upload`,
    access: 'run',
    summary: 'Upload one file',
    details:
      'Three ways: multipart/form-data with one part `file`; the raw bytes as the body, named by ?name= or Content-Disposition; or JSON with the content in base64 (up to 32 MiB of JSON). A runner may upload, so that a device can send pictures and recordings.',
    query: Type.Object({ name: Type.Optional(Type.String({ description: 'Name of a raw body.' })) }),
    body: Type.Object({
      name: text({ minLength: 1, maxLength: limits.nameLength, description: 'File name.' }),
      content_base64: Type.String({ description: 'The content in base64.' }),
    }),
    bodyLimit: limits.jsonUploadBytes,
    streamsBody: true,
    creates: true,
    data: record,
    example: { name: 'hello.txt', content_base64: 'SGVsbG8gYmFueWFuLgo=' },
  },
  list: {
    ...common,
    name: 'files.list',
    method: 'POST',
    path: `${basePath}/files`,
    access: 'read',
    summary: 'Information on files: named ones, or a page of all',
    details:
      'With `file_ids` the answer holds `items` and `missing`; without, one page, newest first where `sort` says nothing else.',
    body: Type.Object({
      file_ids: Type.Optional(fileIds('Files to look up.')),
      keyword: Type.Optional(text({ maxLength: limits.nameLength, description: 'Part of the name.' })),
      sort: Type.Optional(
        Type.Enum([...fileSorts], {
          default: 'created_at',
          description: 'What a page of all files is sorted by; names without regard to upper and lower case.',
        }),
      ),
      order: Type.Optional(
        Type.Enum(['asc', 'desc'], {
          description: '`asc`: smallest, earliest or A first. Without it, times are `desc`, all else `asc`.',
        }),
      ),
      ...pagingFields,
    }),
    data: Type.Union([Type.Object({ items: Type.Array(record), missing }), pageOf(record)]),
    example: { file_ids: ['file_Zk3xV0m2q1c5b7n9d1f3gA'] },
  },
  delete: {
    ...common,
    name: 'files.delete',
    method: 'POST',
    path: `${basePath}/files/delete`,
    access: 'write',
    summary: 'Delete files',
    details:
      'A file that a knowledge base still uses is kept and listed in `in_use`, unless `force` is true.',
    body: Type.Object({
      file_ids: fileIds('Files to delete.'),
      force: Type.Optional(Type.Boolean({ description: 'Also remove the documents made of them.' })),
    }),
    data: Type.Object({
      deleted: Type.Array(fileId, { description: 'Files that are gone now.' }),
      missing,
      in_use: Type.Array(Type.Object({ file_id: fileId, knowledge_ids: Type.Array(Type.String()) }), {
        description: 'Files that were kept, and what uses them.',
        examples: [[]],
      }),
    }),
    example: { file_ids: ['file_Zk3xV0m2q1c5b7n9d1f3gA'] },
  },
  content: {
    ...common,
    name: 'files.content',
    method: 'GET',
    path: `${basePath}/files/{file_id}`,
    access: 'read',
    summary: 'The bytes of a file',
    details:
      'Supports Range and conditional requests. Types that could run script are sent as an attachment.',
    params: Type.Object({ file_id: fileId }),
    headers: {
      Range: 'One range of bytes, such as bytes=0-99.',
      'If-Range': 'ETag for which the range is meant.',
      'If-None-Match': 'ETag of the copy you have.',
    },
    answers: 'application/octet-stream',
  },
} as const satisfies Record<string, Operation>
