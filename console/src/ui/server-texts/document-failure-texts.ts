import type { Text } from './error-texts.ts'

/** Why a document could not be processed and what to do, by the code of its failure. */
export const documentFailureTexts = {
  unsupported_format: {
    en: 'This file type is not supported.',
    zh: '不支持这种文件格式，请转换为 PDF、Word、Excel、PowerPoint 或文本后重新上传。',
  },
  broken_file: { en: 'The file is damaged.', zh: '文件已损坏或扩展名与内容不符，请重新导出后上传。' },
  encrypted: { en: 'The file is password-protected.', zh: '文件受密码保护，请去除密码后重新上传。' },
  converter_not_installed: {
    en: 'LibreOffice is not installed on the server.',
    zh: '读取旧版 Office 文件（DOC、XLS、PPT）需要 LibreOffice：请系统管理员在服务器上安装，或设置 SOFFICE_PATH，然后重新处理；也可以另存为 DOCX、XLSX 或 PPTX 后上传。',
  },
  conversion_timed_out: {
    en: 'The server was too busy to convert the file.',
    zh: '服务器繁忙，未能在限定时间内完成文件转换，请稍后重新处理；也可以另存为新格式后上传。',
  },
  recording_too_large: {
    en: 'The recording is too large.',
    zh: '录音超过了语音识别模型的上限（25 MiB）：MP3 和 WAV 会自动分段；其他格式请系统管理员在服务器上安装 ffmpeg，或设置 FFMPEG_PATH，然后重新处理；也可以另存为 MP3 后上传。',
  },
  no_text: {
    en: 'The file contains no text.',
    zh: '文件中没有文字。如果是扫描件，需要文字识别（OCR）：请系统管理员设置 OCR_MODEL，或在服务器上安装 @gutenye/ocr-node，然后重新处理。',
  },
  recognition_not_configured: {
    en: 'Text recognition is not set up.',
    zh: '图片需要文字识别（OCR）：请系统管理员设置 OCR_MODEL，或在服务器上安装 @gutenye/ocr-node，然后重新处理。',
  },
  recognition_failed: { en: 'Text recognition failed.', zh: '文字识别失败，请稍后重试。' },
  transcription_not_configured: {
    en: 'No transcription model is configured.',
    zh: '录音需要语音识别模型：请在“模型”中添加，或设置 TRANSCRIBE_BASE_URL 和 TRANSCRIBE_MODEL，然后重新处理。',
  },
  transcription_failed: { en: 'The transcription model failed.', zh: '语音识别模型调用失败，请稍后重试。' },
  unknown_encoding: {
    en: 'The text encoding is not supported.',
    zh: '无法识别文字编码，请另存为 UTF-8 后重新上传。',
  },
  too_large: { en: 'The document is too large.', zh: '文档超过了大小上限，请拆分后上传。' },
  too_complex: {
    en: 'The document is too complex to process.',
    zh: '文档过于复杂，处理时超出了内存或时间限制，请拆分或简化后上传。',
  },
  file_missing: { en: 'The file no longer exists.', zh: '文件已不存在，请重新上传。' },
  file_damaged: {
    en: 'The stored file is damaged.',
    zh: '服务器上保存的文件内容已损坏或丢失，请重新上传同一文件，然后重新处理该文档。',
  },
  embedding_not_configured: {
    en: 'No embedding model is configured.',
    zh: '没有配置向量模型，请在服务器设置中配置后重试。',
  },
  embedding_failed: { en: 'The embedding model failed.', zh: '向量模型调用失败，请稍后重试。' },
  embedding_changed: {
    en: 'The embedding model has changed.',
    zh: '向量模型的维度已变化，请重建整个知识库的索引。',
  },
  interrupted: { en: 'Processing was interrupted.', zh: '服务器多次重启，处理被中断，请重试。' },
  internal: { en: 'Internal server error.', zh: '服务器内部错误，请重试；详情请查看服务器日志。' },
} as const satisfies Record<string, Text>

/** Text for codes of a newer server. */
export const otherDocumentFailure: Text = { en: 'The document could not be processed.', zh: '文档处理失败。' }

/** Why a part of a document is missing and what to do, by the code of the warning. */
export const documentWarningTexts = {
  recognition_not_configured: {
    en: 'Scanned pages need text recognition (OCR), which is not set up: an administrator can set OCR_MODEL, or install @gutenye/ocr-node on the server; then re-process the document.',
    zh: '扫描页需要文字识别（OCR），目前尚未设置：请系统管理员设置 OCR_MODEL，或在服务器上安装 @gutenye/ocr-node，然后重新处理。',
  },
  broken_file: {
    en: 'Damaged; pages after it may be missing, too. Save or export the PDF again, and upload it.',
    zh: '页面已损坏，其后的页面也可能缺失，请重新导出 PDF 后上传。',
  },
} as const satisfies Partial<Record<keyof typeof documentFailureTexts, Text>>
