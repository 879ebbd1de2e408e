import Type from 'typebox'
import { limits } from './limits.ts'
import { basePath, type Operation } from './operation.ts'
import { pageOf, pagingFields } from './paging.ts'
import { id, text, time } from './text.ts'

const fileId = id('File id.', 'file_Zk3xV0m2q1c5b7n9d1f3gA')
const fileIds = (description: string) => Type.Array(fileId, { minItems: 1, maxItems: 1000, description })

const record = Type.Object({
  file_id: fileId,
  name: Type.String({ description: 'File name as uploaded.', examples: ['hello.txt'] }),
  size: Type.Integer({ description: 'Size in bytes.', examples: [14] }),
  mime_type: Type.String({
    description: 'Detected from the content, then from the name.',
    examples: ['text/plain'],
  }),
  sha256: Type.String({
    description: 'SHA-256 of the content, in hexadecimal.',
    examples: ['749af5108aca2f06127e7ab2d52396913d78955f7ac776f1f01acc38fdcd5f14'],
  }),
  created_at: time('Time of the upload.'),
})

export const fileSorts = ['created_at', 'name', 'size'] as const
export type FileSort = (typeof fileSorts)[number]

const missing = Type.Array(fileId, { description: 'Ids without a file in this workspace.', examples: [[]] })

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
      'Send multipart/form-data with one part `file`, or the raw bytes as the body with the name in ?name= or Content-Disposition, or JSON with the content in base64 (up to 32 MiB of JSON). A runner may upload too, so that a device can send pictures and recordings.',
    query: Type.Object({ name: Type.Optional(Type.String({ description: 'File name for a raw body.' })) }),
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
    summary: 'List files, or get files by id',
    details:
      'With `file_ids` the response contains `items` and `missing`; without, it is one page of all files, newest first unless `sort` is set.',
    body: Type.Object({
      file_ids: Type.Optional(fileIds('Files to look up.')),
      keyword: Type.Optional(text({ maxLength: limits.nameLength, description: 'Part of the name.' })),
      sort: Type.Optional(
        Type.Enum([...fileSorts], {
          default: 'created_at',
          description: 'Sort key; names are compared case-insensitively.',
        }),
      ),
      order: Type.Optional(
        Type.Enum(['asc', 'desc'], {
          description: 'Sort order. Default: `desc` for created_at, `asc` for name and size.',
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
    details: 'A file that a knowledge base uses is kept and listed in `in_use`, unless `force` is true.',
    body: Type.Object({
      file_ids: fileIds('Files to delete.'),
      force: Type.Optional(Type.Boolean({ description: 'Also delete the documents made from these files.' })),
    }),
    data: Type.Object({
      deleted: Type.Array(fileId, { description: 'Deleted files.' }),
      missing,
      in_use: Type.Array(Type.Object({ file_id: fileId, knowledge_ids: Type.Array(Type.String()) }), {
        description: 'Files that were not deleted, with the knowledge bases that use them.',
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
    summary: 'Download a file',
    details:
      'Supports Range and conditional requests. Types that can contain scripts are sent as an attachment.',
    params: Type.Object({ file_id: fileId }),
    headers: {
      Range: 'One byte range, such as bytes=0-99.',
      'If-Range': 'ETag that the range applies to.',
      'If-None-Match': 'ETag of your cached copy.',
    },
    answers: 'application/octet-stream',
  },
} as const satisfies Record<string, Operation>
