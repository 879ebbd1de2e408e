import { array, boolean, choice, id, integer, named, optional, string, text, time } from './fields.ts'
import { limits } from './limits.ts'
import { basePath, defineOperations } from './operation.ts'
import { pageOf, pagingFields } from './paging.ts'
import { Type } from './schema.ts'

export const fileId = id('File id.', 'file_Zk3xV0m2q1c5b7n9d1f3gA')
const fileIds = (description: string) => array(fileId, description, { min: 1, max: 1000 })

export const fileRecord = named(
  'StoredFile',
  Type.Object({
    file_id: fileId,
    name: string('File name as uploaded.', 'hello.txt'),
    size: integer('Size in bytes.', 14),
    mime_type: string('Detected from the content, then from the name.', 'text/plain'),
    sha256: string(
      'SHA-256 of the content, in hexadecimal.',
      '749af5108aca2f06127e7ab2d52396913d78955f7ac776f1f01acc38fdcd5f14',
    ),
    created_at: time('Time of the upload.'),
  }),
)

const fileSorts = ['created_at', 'name', 'size'] as const
export type FileSort = (typeof fileSorts)[number]

const missing = array(fileId, 'Ids without a file in this workspace.', { example: [] })

export const uploadBody = Type.Object({
  name: text('File name.', [1, limits.nameLength]),
  content_base64: string('The content in base64.'),
})

export const contentHeaders = {
  Range: 'One byte range, such as bytes=0-99.',
  'If-Range': 'ETag that the range applies to.',
  'If-None-Match': 'ETag of your cached copy.',
}

export const fileOperations = defineOperations('files', {
  upload: {
    access: 'run',
    changes: { id: 'stored.id', shows: ['name'] },
    summary: 'Upload one file',
    details:
      'Send multipart/form-data with one part `file`, or the raw bytes as the body with the name in ?name= or Content-Disposition, or JSON with the content in base64 (up to 32 MiB of JSON). A runner may upload too, so that a device can send pictures and recordings.',
    query: Type.Object({ name: Type.Optional(string('File name for a raw body.')) }),
    body: uploadBody,
    bodyLimit: limits.jsonUploadBytes,
    streamsBody: true,
    creates: true,
    data: fileRecord,
    example: { name: 'hello.txt', content_base64: 'SGVsbG8gYmFueWFuLgo=' },
  },
  list: {
    path: `${basePath}/files`,
    access: 'token',
    summary: 'List files, or get files by id',
    details:
      'A runner can only look up files of its conversations by id. With `file_ids` the response contains `items` and `missing`; without, it is one page of all files, newest first unless `sort` is set.',
    body: Type.Object({
      ...optional({
        file_ids: fileIds('Files to look up.'),
        keyword: text('Part of the name.', [0, limits.nameLength]),
        sort: choice(fileSorts, 'Sort key; names are compared case-insensitively.', {
          default: 'created_at',
        }),
        order: choice(
          ['asc', 'desc'],
          'Sort order. Default: `desc` for created_at, `asc` for name and size.',
        ),
      }),
      ...pagingFields,
    }),
    data: Type.Union([Type.Object({ items: Type.Array(fileRecord), missing }), pageOf(fileRecord)]),
    example: { file_ids: ['file_Zk3xV0m2q1c5b7n9d1f3gA'] },
  },
  delete: {
    access: 'write',
    changes: { id: 'stored.deleted', shows: ['force'] },
    summary: 'Delete files',
    details: 'A file that a knowledge base uses is kept and listed in `in_use`, unless `force` is true.',
    body: Type.Object({
      file_ids: fileIds('Files to delete.'),
      force: Type.Optional(boolean('Also delete the documents made from these files.')),
    }),
    data: Type.Object({
      deleted: array(fileId, 'Deleted files.'),
      missing,
      in_use: array(
        Type.Object({ file_id: fileId, knowledge_ids: Type.Array(Type.String()) }),
        'Files that were not deleted, with the knowledge bases that use them.',
        { example: [] },
      ),
    }),
    example: { file_ids: ['file_Zk3xV0m2q1c5b7n9d1f3gA'] },
  },
  content: {
    method: 'GET',
    path: `${basePath}/files/{file_id}`,
    access: 'token',
    summary: 'Download a file',
    details:
      'A runner reads the files of conversations with its agents. Supports Range and conditional requests. Types that can contain scripts are sent as an attachment.',
    params: Type.Object({ file_id: fileId }),
    headers: contentHeaders,
    answers: 'application/octet-stream',
  },
})
