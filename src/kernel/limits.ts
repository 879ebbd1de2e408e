export * from '../contract/limits.ts'
