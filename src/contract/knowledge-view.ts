import { array, choice, count, integer, integerIn, named, optional, orNull, string } from './fields.ts'
import { chunkId, chunkPlace, documentId, sourceUrl } from './knowledge-records.ts'
import { Type } from './schema.ts'

export const viewQuery = Type.Object(
  optional({
    chunk_id: chunkId,
    page: integerIn('Page of the text, from 1. Default: the one with the passage.', [1, 1_000_000]),
    page_size: integerIn('Parts of the text per page.', [1, 100], { default: 20 }),
  }),
)

const pageBoxes = Type.Object({
  page: integer('Page number, from 1.', 3),
  width: Type.Number({ description: 'Width of the page in PDF points.', examples: [595] }),
  height: Type.Number({ description: 'Height of the page in PDF points.', examples: [842] }),
  boxes: array(
    Type.Array(Type.Number(), { minItems: 4, maxItems: 4 }),
    'The lines of the passage: left, top, right and bottom in PDF points from the upper left corner of the page as it is shown.',
    { example: [[72, 90.5, 523, 104]] },
  ),
})

export const viewPart = Type.Object({
  chunk_id: chunkId,
  ...chunkPlace,
  text: string('The text of the chunk, without its overlap with the previous part.', 'Hello banyan.'),
})

const { position, page, last_page, offsets } = chunkPlace

export const documentView = named(
  'DocumentView',
  Type.Object({
    file_id: documentId,
    name: string('File name.', 'hello.txt'),
    mime_type: string('MIME type of the file.', 'text/plain'),
    source_url: sourceUrl,
    kind: choice(
      ['pdf', 'image', 'text'],
      'pdf, image: show the file, downloaded from `/files/{file_id}`. text: show `items`.',
      { example: 'text' },
    ),
    passage: orNull(
      Type.Object({
        chunk_id: chunkId,
        ...{ position, page, last_page, offsets },
        pages: array(
          pageBoxes,
          'Where the passage stands on the pages of a PDF; empty for other formats, and for documents processed before boxes were stored.',
          { example: [] },
        ),
      }),
      'The passage to highlight; null without `chunk_id`.',
      null,
    ),
    total: count('Number of parts of the text.', 1),
    page: integer('Page of the text.', 1),
    page_size: integer('Parts per page.', 20),
    items: array(viewPart, 'The text of the document, in order.'),
  }),
)
