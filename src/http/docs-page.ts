import type { OpenapiDocument } from './openapi.ts'

export const docsPage = (document: OpenapiDocument): string =>
  `<!doctype html><title>${document.info.title}</title>`
