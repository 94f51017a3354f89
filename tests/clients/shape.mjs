/**
 * Shapes: what a client's parser needs in an answer, written as data. A shape is one of these:
 *
 * - `"string"`, `"integer"`, `"int32"`, `"number"`, `"boolean"`, `"object"`, `"array"`, `"any"`, `"uuid"`, `"time"` (RFC 3339), or a model's name;
 * - `"…[]"`: a list, which may be empty; `"…?"`: may be null or absent; `"…~"`: may be absent, but not null; `"…|null"`: may be null,
 *   but not absent;
 * - `"=text"`: this text; `"/…/"`: a text that matches the regular expression; a number, a boolean or null: this value;
 * - `{ "key": … }`: an object with at least these keys; the key `"*"` represents all its values; with `"only": true`, no other keys are allowed;
 * - `[ … ]` with one entry: a list of such values that is not empty; with more entries: exactly these values; `[]`: an empty list.
 */
const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$/
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const kinds = {
  any: () => true,
  string: (value) => typeof value === 'string',
  integer: Number.isInteger,
  int32: (value) => Number.isInteger(value) && Math.abs(value) < 2 ** 31,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  object: (value) => value !== null && typeof value === 'object' && !Array.isArray(value),
  array: Array.isArray,
  uuid: (value) => typeof value === 'string' && UUID.test(value),
  time: (value) => typeof value === 'string' && TIME.test(value),
}

const shown = (value) => (value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 160))

/**
 * Compares a value with a shape. Returns a text for each difference, with the path. An empty list means that the client's parser accepts the value.
 */
export function lacks(value, shape, models, path = '') {
  const wrong = (wanted) => [`${path || 'the answer'}: expected ${wanted}, got ${shown(value)}`]
  if (typeof shape === 'string') return ofText(value, shape, models, path, wrong)
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return wrong('a list')
    if (shape.length === 1) {
      if (value.length === 0) return wrong('a list that is not empty')
      return value.flatMap((item, index) => lacks(item, shape[0], models, `${path}[${index}]`))
    }
    if (value.length !== shape.length) return wrong(`${shape.length} entries`)
    return shape.flatMap((one, index) => lacks(value[index], one, models, `${path}[${index}]`))
  }
  if (shape !== null && typeof shape === 'object') {
    if (!kinds.object(value)) return wrong('an object')
    const { only, ...keys } = shape
    const others = only === true ? Object.keys(value).filter((key) => !(key in keys)) : []
    if (others.length) return wrong(`no other keys than ${Object.keys(keys)}`)
    return Object.entries(keys).flatMap(([key, one]) => {
      if (key === '*') return Object.entries(value).flatMap(([name, item]) => lacks(item, one, models, `${path}.${name}`))
      return lacks(Object.hasOwn(value, key) ? value[key] : undefined, one, models, `${path}.${key}`)
    })
  }
  return value === shape ? [] : wrong(shown(shape))
}

function ofText(value, shape, models, path, wrong) {
  if (shape.startsWith('=')) return value === shape.slice(1) ? [] : wrong(shown(shape.slice(1)))
  if (/^\/.*\/$/s.test(shape)) return typeof value === 'string' && new RegExp(shape.slice(1, -1), 's').test(value) ? [] : wrong(`a text like ${shape}`)
  if (shape.endsWith('?')) return value === null || value === undefined ? [] : lacks(value, shape.slice(0, -1), models, path)
  if (shape.endsWith('~')) return value === undefined ? [] : lacks(value, shape.slice(0, -1), models, path)
  if (shape.endsWith('|null')) return value === null ? [] : lacks(value, shape.slice(0, -'|null'.length), models, path)
  if (shape.endsWith('[]')) {
    if (!Array.isArray(value)) return wrong('a list')
    return value.flatMap((item, index) => lacks(item, shape.slice(0, -2), models, `${path}[${index}]`))
  }
  if (shape in kinds) return kinds[shape](value) ? [] : wrong(shape)
  if (shape in models) return lacks(value, models[shape], models, path)
  throw new Error(`unknown shape ${shape}`)
}

/** Returns the value at a path such as `user.id` or `0.name`. */
export const at = (value, path) => (path === '' ? value : path.split('.').reduce((part, key) => part?.[key], value))
