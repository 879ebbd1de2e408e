/**
 * Runs inside the sandbox before the user's code, and saves the built-ins it needs before that code can replace them.
 * `emit` takes a line of the console, and is the only host function in the sandbox.
 */
export const sandboxPrelude = `((emit, maxLength) => {
  'use strict'
  const { parse, stringify } = JSON
  const { Error, Map, Set, String, TypeError } = globalThis
  const call = Function.prototype.call.bind(Function.prototype.call)
  const hasInstance = Function.prototype[Symbol.hasInstance]
  const isA = (type, value) => call(hasInstance, type, value)

  const show = value => {
    try {
      if (typeof value === 'string') return value
      if (isA(Error, value)) return String(value)
      return stringify(value) ?? String(value)
    } catch {
      return String(value)
    }
  }
  const write = (...values) => {
    let line = ''
    for (let index = 0; index < values.length; index++) line += (index > 0 ? ' ' : '') + show(values[index])
    emit(line)
  }
  globalThis.console = { log: write, info: write, warn: write, error: write, debug: write }

  class Refusal {
    constructor(what) {
      this.what = what
    }
  }
  const check = (key, value) => {
    const place = key === '' ? '' : ' in "' + key + '"'
    if (typeof value === 'function') throw new Refusal('a function' + place + ', which is not JSON: return what it gives')
    if (typeof value === 'bigint') throw new Refusal('a BigInt' + place + ', which is not JSON: use Number() or String()')
    if (isA(Map, value) || isA(Set, value))
      throw new Refusal('a Map or Set' + place + ', which is not JSON: use Object.fromEntries() or an array')
    return value
  }
  const toJson = value => {
    try {
      return stringify(value, check)
    } catch (error) {
      if (isA(TypeError, error) && error.message === 'circular reference')
        throw new Refusal('an object that contains itself, which is not JSON')
      throw error
    }
  }
  const answer = value => {
    try {
      const text = toJson(value)
      if (text === undefined) return '!main returned nothing: end it with "return" and a value, null at least'
      if (text.length > maxLength) return '!main returned more than ' + maxLength + ' bytes of JSON: return less'
      return '=' + text
    } catch (error) {
      if (isA(Refusal, error)) return '!main returned ' + error.what
      throw error
    }
  }
  return async (main, inputs) => answer(await main(parse(inputs)))
})`
